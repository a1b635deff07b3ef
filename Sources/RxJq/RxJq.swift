// RxJq: jq programs in processes of their own, for reactors and for streams.
//
//     HostedReactor -> JqReactorEngine -> JqReactorLoop -> WorkerProcess --socket--> worker: rules, reduce, the state
//     a stream      -> StreamEvaluator -> StreamWorkerPool: StreamWorker --socket--> worker: programs over elements
//
// Rules:
// - No program with input from clients runs in the daemon's process: jq can be bounded neither in time nor in memory
//   within a process, and it may abort.
// - A worker is the daemon's executable, started anew. Its time, its memory, and the size of its replies are limited
//   (`JqLimits`, `WorkerReplies`).
// - A worker that ends is replaced. Its end fails at most the request that it worked on: of a stream's request with
//   several elements, one element.
// - The clock, the threads, and the workers of a reactor are behind `EnginePlatform`.
//
// Reading order: Worker/ (JqWorker: what a worker is and how it is bounded), Engine/ (JqReactorEngine: a reactor),
// Streams/ (StreamEvaluator: the programs of streams). The first file of each has a front page of its own.
