internal import RxLoop

/// What one user uses of the server: every queue that holds something for a user is charged here, and the user's
/// connections share one part of the loop's time. Used on the loop.
final class Account {
    /// The user.
    let uid: UInt32
    /// The user's part of the loop's time.
    let share = LoopShare()
    /// Open connections.
    var connections = 0
    /// The memory of what waits for the user's peers, on all connections together, in bytes.
    @exclusivity(unchecked) private(set) var outboundBytes = 0
    /// Long answers that are waited for or being made.
    let longAnswers: LongAnswers
    /// Incomplete lines that are long.
    let longLines: LongLines
    /// Elements that are collected for answers.
    let held: HeldBytes
    /// The most of `outboundBytes` before there is no room for events and the user's requests have to wait.
    private let outboundLimit: Int

    init(uid: UInt32, outboundLimit: Int, patience: Duration, loop: EventLoop) {
        self.uid = uid
        self.outboundLimit = outboundLimit
        longAnswers = LongAnswers(limit: outboundLimit, patience: patience, loop: loop, share: share)
        longLines = LongLines(patience: patience, loop: loop)
        held = HeldBytes(limit: outboundLimit)
    }

    /// Adds a change in the bytes that wait for one peer.
    ///
    /// - Returns: whether more wait for the user now than may.
    func addOutbound(_ change: Int) -> Bool {
        outboundBytes += change
        longAnswers.outboundBytes = outboundBytes
        held.outboundBytes = outboundBytes
        return isOverLimit
    }

    /// Whether more waits for the user's peers than may.
    var isOverLimit: Bool { outboundBytes > outboundLimit }

    /// Whether nothing is charged to the account.
    var isIdle: Bool {
        connections == 0 && outboundBytes == 0 && longAnswers.isIdle && longLines.count == 0 && held.count == 0
    }
}
