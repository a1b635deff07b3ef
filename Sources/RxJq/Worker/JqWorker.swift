// JqWorker: a reactor's jq programs in a process of their own.
//
// jq 1.6 cannot be bounded where it runs: a program may go on for ever, take all memory, or meet a fault that aborts the process.
// So programs whose inputs are the clients' run in a worker: the same executable, started anew, which serves at a socket and
// keeps the reactor's state, so that what travels follows the action and the change.
//
// How a worker is bounded:
// - Time: `JqLimits.processorTime` for one request, by a timer of the worker's own process; and `wallTime`, which whoever asks
//   keeps, for a worker that does not get on for another reason.
// - Memory: `JqLimits.memory` above what the process has at its start (RLIMIT_AS). A worker that has leaked half of it leaves
//   between two requests, and another takes over.
// - It has no environment, no files but its socket, no core, and dies with the process that started it.
// - What it says is bounded by `WorkerReplies.mostBytes`.
//
// Whoever hosts workers calls `JqWorker.serveIfAsked()` before anything else in `main`.
//
// Read: JqReactorPrograms (what a worker is given), WorkerRequest and WorkerReply (what is said), WorkerProcess (its life, seen from
// outside), CJq/worker.c (from inside), ListDifference.
internal import CJq
internal import Glibc

public enum JqWorker {
    /// What the arguments of a worker begin with: no option of a command line.
    static let mark = "--jq-worker"
    /// Where it finds its socket.
    static let descriptor: Int32 = 3

    /// Becomes a worker, and does not return, if the process was started as one.
    public static func serveIfAsked() {
        guard CommandLine.argc == 5, let mark = CommandLine.unsafeArgv[1], strcmp(mark, JqWorker.mark) == 0 else {
            return
        }
        func number(_ place: Int) -> Int { CommandLine.unsafeArgv[place].map { atol($0) } ?? 0 }
        let limits = cjq_limits(memory: number(3), time: Int32(number(4)), parent: Int32(number(2)))
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

/// What a worker may take.
public struct JqLimits: Sendable, Hashable {
    /// Of the processor, for one request. A state machine's step takes microseconds; a second is for thousands of elements.
    public var processorTime = Duration.seconds(1)
    /// Of the clock, for one request on a busy machine.
    public var wallTime = Duration.seconds(10)
    /// Bytes. Ten times what the longest state takes as JSON, and what jq takes to work on it.
    public var memory = 256 << 20

    public init() {}
}
