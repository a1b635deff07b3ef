internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Prints the elements of one execution as they come, and reports how it ended.
final class FollowedExecution {
    struct Style {
        /// Prints strings without their quotes.
        var raw = false
        /// Treats lost elements as a failure.
        var strict = false
        /// Exits with the status of the action's command.
        var propagate = false
    }

    private let session: DaemonSession
    private let style: Style
    private var onEnd: ((Ending) -> Void)?
    private var stream: FollowedStream?
    /// Its id, once it is known.
    private var execution: String?
    private var error: RPCError?
    private var hasLost = false
    private var isWithdrawn = false

    init(_ session: DaemonSession, _ style: Style) {
        self.session = session
        self.style = style
    }

    /// Sends the request. `onStart` receives the daemon's reply unless it is a refusal; `onEnd` is called once.
    func start(
        _ request: ExecuteRequest, onStart: @escaping (ExecuteReply) -> Void = { _ in },
        onEnd: @escaping (Ending) -> Void
    ) {
        self.onEnd = onEnd
        stream = session.link.open(
            .execution(request), deliver: { [self] in receive($0) },
            completion: { [self] reply in
                switch reply {
                case .success(let reply):
                    guard let reply = ExecuteReply(reply) else { return }
                    execution = reply.execution
                    onStart(reply)
                case .failure(let error): end(isWithdrawn ? .interrupted : Ending(error))
                }
            })
    }

    /// Withdraws this requester; the execution is canceled when the last requester withdraws.
    func withdraw() {
        guard !isWithdrawn else { return }
        isWithdrawn = true
        // If the execution has just ended, this is refused, and `end` is on its way.
        stream.map { session.link.unsubscribe($0) }
    }

    private func receive(_ delivery: LinkDelivery) {
        switch delivery {
        case .failed(let error):
            end(Ending(error))
        case .reconnected, .finished:
            // This link does not reconnect.
            break
        case .event(let event):
            switch event.channel {
            case .elements:
                if let value = event.value { print(value) }
            case .errors:
                if case .error(let error) = event.content { self.error = error }
            case .lag:
                hasLost = true
                session.note(lossText(event))
            case .end:
                end(ending(event))
            case .executions:
                if let attempt = FailedAttempt(event.value) { session.note(attempt.text) }
            case .executing, .enabled, .state, .firings:
                break
            }
        }
    }

    /// What is missing, and where to find what is kept of it.
    private func lossText(_ event: StreamEvent) -> String {
        let count = event.value?.value()["dropped"]?.int
        let elements = count.map { "\($0) element\($0 == 1 ? " is" : "s are")" } ?? "elements may be"
        return "\(elements) missing here; `rxctl output \(execution ?? "EXECUTION")` prints what is kept"
    }

    private func end(_ ending: Ending) {
        let onEnd = self.onEnd
        self.onEnd = nil
        // It holds this object through its handler.
        stream = nil
        onEnd?(ending)
    }

    private func print(_ value: RawJSON) {
        if style.raw, let text = value.value().string {
            session.print(unquoted: text)
        } else {
            session.print(value)
        }
    }

    private func ending(_ event: StreamEvent) -> Ending {
        guard !isWithdrawn else { return .interrupted }
        return Ending(event.reason ?? .failed, error, hasLost: hasLost, style)
    }
}

extension Ending {
    /// How an execution ended.
    ///
    /// - Parameters:
    ///   - error: the work's, if there was one.
    ///   - hasLost: whether elements did not reach rxctl.
    init(_ reason: EndReason, _ error: RPCError?, hasLost: Bool, _ style: FollowedExecution.Style) {
        switch reason {
        case .completed:
            self = hasLost && style.strict ? Ending(outcome: .eventsLost) : .done
        case .failed, .cancelled, .timedOut:
            guard let error else {
                self = .ended(reason)
                return
            }
            if style.propagate, let status = error.commandStatus {
                self.init(outcome: .propagated(status), message: .error(error))
            } else {
                self = .refused(error)
            }
        case .unsubscribed, .removed, .shutdown, .limit, .revoked, .caughtUp:
            self = .ended(reason)
        }
    }
}
