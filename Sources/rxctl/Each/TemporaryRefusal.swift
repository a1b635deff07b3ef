internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

extension ClientError {
    /// Whether the same request may be accepted in a while, without anyone changing anything.
    var mayPass: Bool {
        switch self {
        case .refused(let error): error.mayPass
        case .unreachable, .closed, .congested: true
        case .protocolViolation, .tooLarge, .cancelled: false
        }
    }

    /// The limit of keys that the daemon has reached, as a fact for people; nil for another error.
    var keyLimit: String? {
        guard case .refused(let error) = self, error.named == .limitReached, let facts = error.data?.value(),
            let limit = facts["limit"]?.string, limit == "keys" || limit == "keysPerUid"
        else { return nil }
        return limit
    }
}

extension RPCError {
    /// Whether there is no room now, or the daemon is stopping.
    fileprivate var mayPass: Bool {
        switch named {
        case .queueFull, .limitReached, .shuttingDown: true
        case .notEnabled: ["executing", "stopping"].contains(data?.value()["reason"]?["cause"]?.string ?? "")
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .workFailed, .timedOut,
            .cancelled, .notFound, .forbidden, .duplicateSubscription, .featureMissing, .cursorExpired, .tooLarge:
            false
        }
    }
}
