/// Why a source waits at present. A receiver is informed of changes only.
package struct WaitingReport {
    private var reason: String?

    /// A source that can emit.
    package init() {}

    /// Reports `reason` to the receiver, or nil for a source that can emit, unless it is what was reported last.
    package mutating func report(_ reason: String?, to receiver: (any SourceReceiver)?) {
        guard reason != self.reason else { return }
        self.reason = reason
        receiver?.report(waiting: reason)
    }
}
