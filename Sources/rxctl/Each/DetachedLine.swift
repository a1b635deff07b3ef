internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// The request of one line with `--each --detach`. While the daemon has no room for it, or is being restarted, it is
/// held back and sent again; any other answer settles it.
///
/// A request whose answer was lost with the daemon is sent again, too. With a key, the daemon recognizes it; without
/// one, the line may be executed twice, which is better than not at all.
final class DetachedLine {
    /// Polling needs no right to subscribe. The pauses are short at first, because work may be short, and then about
    /// as long as a person notices.
    private static let pace = Reconnecting(first: .milliseconds(10), longest: .milliseconds(500))

    private let session: DaemonSession
    private let request: ExecuteRequest
    private let number: Int
    private let settle: (Ending) -> Void
    private var refusals = 0
    private var isWithdrawn = false

    /// - Parameters:
    ///   - number: the line's.
    ///   - settle: called once, with a refusal or `.done`.
    init(_ session: DaemonSession, _ request: ExecuteRequest, line number: Int, settle: @escaping (Ending) -> Void) {
        self.session = session
        self.request = request
        self.number = number
        self.settle = settle
    }

    func start() {
        session.detach(request) { [self] reply in
            switch reply {
            case .success: settle(.done)
            case .failure(let error) where error.isTemporary && !isWithdrawn: hold(error)
            case .failure(let error): settle(Ending(error))
            }
        }
    }

    /// Sends it no more. If it waits to be sent, it is settled as interrupted.
    func withdraw() { isWithdrawn = true }

    private func hold(_ error: ClientError) {
        if case .closed = error, request.key == nil {
            session.note("line \(number): the answer was lost, and it is sent again; with --key it cannot start twice")
        } else if refusals == 0, StandardStreams.errorIsTerminal, case .refused(let refusal) = error {
            session.note("line \(number) is held back: \(refusal.forPeople)")
        }
        session.schedule(after: Self.pace.delay(after: refusals)) { [self] in
            if isWithdrawn { settle(.interrupted) } else { start() }
        }
        refusals += 1
    }
}

extension ClientError {
    /// Whether the same request may be accepted in a while, without anyone changing anything.
    fileprivate var isTemporary: Bool {
        switch self {
        case .refused(let error): error.isTemporary
        case .unreachable, .closed, .congested: true
        case .protocolViolation, .tooLarge, .cancelled: false
        }
    }
}

extension RPCError {
    /// Whether there is no room now, or the daemon is stopping.
    fileprivate var isTemporary: Bool {
        switch named {
        case .queueFull, .limitReached, .shuttingDown: true
        case .notEnabled: ["executing", "stopping"].contains(data?.value()["reason"]?["cause"]?.string ?? "")
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .workFailed, .timedOut,
            .cancelled, .notFound, .forbidden, .duplicateSubscription, .featureMissing, .cursorExpired, .tooLarge:
            false
        }
    }
}
