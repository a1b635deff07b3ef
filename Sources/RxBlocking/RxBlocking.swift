// RxBlocking: waits for the results of an observable on the calling thread, for tests and command-line programs.
//
//     let ticks = Observable<Int>.interval(.milliseconds(1), scheduler: SerialDispatchQueueScheduler(qos: .default))
//     let three = try ticks.take(3).toBlocking(timeout: 5).toArray()  // [0, 1, 2]
//     switch ticks.take(3).toBlocking(timeout: 5).materialize() {
//     case .completed(let elements): print(three == elements)
//     case .failed(let elements, let error): print(elements, error)
//     }
//
// Rules for users
// * Each call subscribes, blocks until its result is known, and disposes. Elements after that do not arrive.
// * With a timeout, each call throws `RxError.timeout` after that many seconds. Without one it may wait forever.
// * On the main thread and the main queue, work of `MainScheduler` and the run loop goes on while a call waits. On any
//   other thread nothing else runs: a sequence that needs that very thread never gives a result.
// * Do not block a thread of Swift's concurrency pool: in async code, use `values` and `value`.
// * A program that uses this module links neither XCTest nor Testing. `RxTest` re-exports it.
//
// Reading order: BlockingObservable, MaterializedSequenceResult, Harvest, Blockade.
