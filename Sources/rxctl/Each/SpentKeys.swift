internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Has the daemon forget the keys of lines that have ended, so that a run of any length needs no more keys at a time
/// than it has lines in flight, and a few more.
final class SpentKeys {
    /// Keys of one request: so few that they hardly count for the limit of a user, and enough for the requests to
    /// hardly count either.
    private static let portion = 64

    private let session: DaemonSession
    private let action: String
    private var keys: [String] = []
    /// Requests that are not answered.
    private var unanswered = 0
    /// Whether the daemon knows the request; an older one does not.
    private var isKnown = true
    private var whenDone: (() -> Void)?

    init(_ session: DaemonSession, action: String) {
        self.session = session
        self.action = action
    }

    /// The key is not needed any more: its line will not be asked for again.
    func add(_ key: String) {
        guard isKnown else { return }
        keys.append(key)
        if keys.count >= Self.portion { send() }
    }

    /// Calls `body` once all keys are forgotten, or cannot be.
    func finish(_ body: @escaping () -> Void) {
        if !keys.isEmpty { send() }
        guard unanswered > 0 else { return body() }
        whenDone = body
    }

    private func send() {
        unanswered += 1
        let params: JSONObject = ["action": .string(action), "keys": .array(keys.map { .string($0) })]
        keys = []
        session.link.call(.actionForget, RawJSON(.object(params))) { [self] reply in
            unanswered -= 1
            // Whatever the reason: the keys are forgotten when their lifetime is over.
            if case .failure = reply { (isKnown, keys) = (false, []) }
            guard unanswered == 0 else { return }
            whenDone?()
            whenDone = nil
        }
    }
}
