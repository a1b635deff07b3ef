internal import RxLoop

/// One request of a link, from its creation to its only reply; on the loop's thread only.
// @unchecked Sendable: `Client` carries the reference across threads and touches it on the loop alone.
package final class OutgoingRequest: @unchecked Sendable {
    typealias Sending = (Connection, @escaping (Connection.Reply) -> Void) -> Connection.PendingCall

    enum State {
        case made
        /// Waits for a connection, until the timer fires.
        case waiting(Timer)
        case sent(Connection, Connection.PendingCall)
        case settled
    }

    /// The size of its params.
    let bytes: Int
    /// Whether it may be carried out a second time without harm.
    let isRepeatable: Bool
    /// Whether it opens a stream. Such a request is not abandoned once it was sent, or nobody would close that stream.
    let opensStream: Bool
    let send: Sending
    var state = State.made
    /// How often it was sent.
    var sendings = 0
    /// Whether the caller has stopped waiting.
    var isAbandoned = false
    private let completion: (Connection.Reply) -> Void

    init(
        bytes: Int, isRepeatable: Bool, opensStream: Bool = false, send: @escaping Sending,
        completion: @escaping (Connection.Reply) -> Void
    ) {
        self.bytes = bytes
        self.isRepeatable = isRepeatable
        self.opensStream = opensStream
        self.send = send
        self.completion = completion
    }

    /// Completes the request; only the first reply counts.
    func settle(_ reply: Connection.Reply) {
        if case .settled = state { return }
        if case .waiting(let timer) = state { timer.cancel() }
        state = .settled
        completion(reply)
    }
}
