internal import RxLoop

/// One request from being made to its only answer; on the loop's thread only.
// @unchecked Sendable: `Client` carries the reference across threads and touches it on the loop alone.
final class OutgoingRequest: @unchecked Sendable {
    typealias Sending = (Connection, @escaping (Connection.Reply) -> Void) -> Connection.PendingCall

    enum State {
        case made
        /// For a connection, until the timer fires.
        case waiting(Timer)
        case sent(Connection, Connection.PendingCall)
        case settled
    }

    let bytes: Int
    /// Whether carrying it out a second time does no harm.
    let isRepeatable: Bool
    /// Whether it opens a stream: it is not given up once it was sent, or nobody would close that stream.
    let opensStream: Bool
    let send: Sending
    var state = State.made
    var sendings = 0
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

    func settle(_ reply: Connection.Reply) {
        if case .settled = state { return }
        if case .waiting(let timer) = state { timer.cancel() }
        state = .settled
        completion(reply)
    }
}
