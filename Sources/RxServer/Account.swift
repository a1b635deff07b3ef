internal import RxHost
internal import RxLoop

/// What one user uses of the server: every queue that holds something for a user is charged here, and the user's
/// connections share one part of the loop's time. Used on the loop.
///
/// There is one limit for all of it. Beyond it, nothing is written for the user's peers that can wait or be dropped.
/// What only the end of other work frees (see `keptBytes`) may be half of it, and is refused beyond that.
final class Account {
    /// The user.
    let uid: UInt32
    /// The user's part of the loop's time.
    let share = LoopShare()
    /// Open connections.
    var connections = 0
    /// The memory of what waits for the user's peers, on all connections together, in bytes.
    @exclusivity(unchecked) private(set) var outboundBytes = 0
    /// What is kept for the user, beside what waits for the user's peers: unanswered requests, answers that a batch has
    /// collected, open subscriptions, dispatches, and the inputs of executions in flight, whoever started these.
    private let memory: UserMemory
    /// Long answers that are waited for or being made.
    let longAnswers: LongAnswers
    /// Incomplete lines that are long.
    let longLines: LongLines
    /// Elements that are collected for answers.
    let held: HeldBytes
    /// The most of all bytes together before there is no room for events and the user's requests have to wait.
    private let limit: Int

    init(_ memory: UserMemory, limit: Int, patience: Duration, loop: EventLoop) {
        uid = memory.uid
        self.memory = memory
        self.limit = limit
        held = HeldBytes(limit: limit)
        longAnswers = LongAnswers(limit: limit, held, memory, patience: patience, loop: loop, share: share)
        longLines = LongLines(patience: patience, loop: loop)
    }

    /// Adds a change in the bytes that wait for one peer.
    func addOutbound(_ change: Int) {
        outboundBytes += change
        longAnswers.outboundBytes = outboundBytes
        held.outboundBytes = outboundBytes
    }

    /// The memory of what is kept, in bytes.
    var keptBytes: Int { memory.bytes }

    /// Adds a change in the bytes that are kept.
    func keep(_ change: Int) {
        memory.keep(change)
        if change < 0 { longAnswers.lookAgain() }
    }

    /// Whether so many more bytes may be kept. A single thing of any size may be, beside little else.
    func mayKeep(_ bytes: Int) -> Bool { memory.mayKeep(bytes) }

    /// Whether more waits for the user's peers, or is kept, than may.
    var isOverLimit: Bool { outboundBytes + keptBytes > limit }

    /// Whether nothing is charged to the account.
    var isIdle: Bool {
        connections == 0 && outboundBytes == 0 && keptBytes == 0 && longAnswers.isIdle && longLines.count == 0
            && held.count == 0
    }
}
