// JqWorker: runs a reactor's jq programs in a separate process.
//
// jq 1.6 cannot be bounded within a process: a program may run forever, take all memory, or hit a fault that aborts the
// process. Programs with input from clients therefore run in a worker: the same executable, started again, which serves
// a socket and keeps the reactor's state. Messages are as large as the action and the change, not the state.
//
// Limits of a worker:
// - Time: `JqLimits.processorTime` per request, by a timer within the worker; and `wallTime`, which the caller enforces
//   on a worker that is stuck for another reason.
// - Memory: `JqLimits.memory` above its size at the start (RLIMIT_AS). A worker that has leaked half of it exits
//   between two requests and is replaced.
// - It has no environment, no files except its socket, and no core dumps, and it dies with the thread that started it.
// - Its replies are limited by `WorkerReplies.mostBytes`.
//
// A program that uses workers must call `JqWorker.serveIfAsked()` before anything else in `main`.
//
// Reading order: JqReactorPrograms (the input of a worker), WorkerRequest and WorkerReply (the messages; WorkerFault,
// and OperatorTexts with ErrorLiterals: who may read its message),
// WorkerConnection, WorkerEnd, and WorkerProcess with WorkerChild (its life cycle, from outside), CJq/worker.c (from
// inside), ListDifference. Workers for the programs of streams: Streams/StreamEvaluator.
internal import CJq
internal import Glibc

/// The entry point of a worker process.
public enum JqWorker {
    /// The first argument of a reactor's worker; not an option of any command.
    static let mark = "--jq-worker"
    /// The first argument of a worker for the programs of streams.
    static let streamMark = "--jq-stream-worker"
    /// The descriptor of a worker's socket.
    static let descriptor: Int32 = 3

    /// Runs the process as a worker and does not return if it was started as one; otherwise does nothing.
    public static func serveIfAsked() {
        guard CommandLine.argc == 5, let mark = CommandLine.unsafeArgv[1] else { return }
        let isForStreams = strcmp(mark, JqWorker.streamMark) == 0
        guard isForStreams || strcmp(mark, JqWorker.mark) == 0 else { return }
        func number(_ place: Int) -> Int { CommandLine.unsafeArgv[place].map { atol($0) } ?? 0 }
        let limits = cjq_limits(memory: number(3), time: Int32(number(4)), parent: Int32(number(2)))
        if isForStreams { cjq_serve_streams(descriptor, limits) }
        cjq_serve(descriptor, limits) { path, pathSize, start, old, oldSize, new, newSize in
            func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> [UInt8] {
                Array(UnsafeRawBufferPointer(start: start, count: count))
            }
            let text = listDifference(
                at: bytes(path, pathSize), start: Int(start), from: bytes(old, oldSize), to: bytes(new, newSize))
            return text.withUnsafeBytes { strndup($0.assumingMemoryBound(to: CChar.self).baseAddress!, $0.count) }
        }
    }
}

/// The limits of a worker.
public struct JqLimits: Sendable, Hashable {
    /// The most processor time for one request. A step takes microseconds; a second suffices for thousands of elements.
    public var processorTime = Duration.seconds(1)
    /// The most wall-clock time for one request on a busy machine.
    public var wallTime = Duration.seconds(10)
    /// The most bytes of memory: ten times the JSON size of the largest state, plus what jq needs to process it.
    public var memory = 256 << 20

    /// Creates the default limits.
    public init() {}
}
