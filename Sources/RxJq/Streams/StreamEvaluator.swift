// Streams: evaluates the programs of all streams in worker processes.
//
// - At most two workers serve all streams, and each serves one call at a time. They start with the first program, and
//   a program is compiled at its first use in a worker (about 16 ms), which keeps the 256 programs used last.
// - A worker is what `JqWorker` describes, with two differences: the limit of processor time is for one input, not for
//   one request, and `JqLimits.wallTime` is the longest silence. It dies with the process that started it, not with the
//   thread: an executor's thread may end before the evaluator.
// - A call is one request, and the worker pauses it after an eighth of `JqLimits.processorTime`: what has no result
//   then is left to another call, so that a stream with slow programs does not keep its thread for long.
// - When a worker ends within a request, the results that it has sent are kept. An input that took too much processor
//   time fails. For any other reason the first input without a result is repeated alone in a fresh worker and fails
//   only if that worker ends as well. So an input fails for what it does, not for what others have left behind.
// - Numbers are doubles: jq 1.6 changes the digits of an integer beyond 2^53, even in a program that passes its input
//   on.
//
// Reading order: StreamEvaluator, StreamWorkerPool, StreamRun (one call, and what is repeated), StreamWorker (one
// worker), ProgramSlots, StreamRequest and StreamReplies (the messages), CJq/stream_worker.c (from inside), and
// CJq/stream_program.c (an evaluation).
public import RxStreams

/// Evaluates programs in at most two worker processes.
public final class StreamEvaluator: ProgramEvaluator {
    /// Workers of all streams: as many as executor threads call at the same time.
    static let workers = 2

    private let limits: JqLimits
    private let start: @Sendable () throws(WorkerStartError) -> StreamWorker
    private let pool = StreamWorkerPool(count: workers)

    /// Creates an evaluator, which starts no worker before the first program.
    ///
    /// - Parameters:
    ///   - executable: a program that calls `JqWorker.serveIfAsked()` first.
    ///   - limits: `processorTime` is for each input, and `wallTime` for each wait for a worker.
    public convenience init(executable: String = "/proc/self/exe", limits: JqLimits = JqLimits()) {
        self.init(limits: limits) { () throws(WorkerStartError) in
            try StreamWorker(executable: executable, limits: limits)
        }
    }

    init(limits: JqLimits, start: @escaping @Sendable () throws(WorkerStartError) -> StreamWorker) {
        self.limits = limits
        self.start = start
    }

    /// Runs a program on the first inputs. The caller waits: for a free worker if there are more callers than workers,
    /// and for the results. The program may take `JqLimits.processorTime` for an input; no other is begun after an
    /// eighth of that.
    public func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] {
        guard !inputs.isEmpty else { return [] }
        if let fault = program.faultOfText { return inputs.map { _ in .failed(fault) } }
        var run = StreamRun(program, inputs, worker: pool.take(for: program), start: start)
        let results = run.results(limits)
        pool.put(run.worker)
        return results
    }

    /// Whether the program raises the message with a literal: see `OperatorTexts`.
    public func isOperatorText(_ message: String, of program: StreamProgram) -> Bool {
        OperatorTexts([program.text]).contains(message)
    }
}
