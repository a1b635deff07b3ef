internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Prints one execution's elements as they come, and tells how it ended.
final class FollowedExecution {
    struct Style {
        /// Strings without their quotes.
        var raw = false
        /// A loss of elements is a failure.
        var strict = false
        /// The command's own status is ours.
        var propagate = false
    }

    private let session: DaemonSession
    private let style: Style
    private var onEnd: ((Ending) -> Void)?
    private var stream: FollowedStream?
    private var error: RPCError?
    private var hasLost = false
    private var isWithdrawn = false

    init(_ session: DaemonSession, _ style: Style) {
        self.session = session
        self.style = style
    }

    /// `onStart` gets the daemon's answer, unless it is a refusal; `onEnd` is called once.
    func start(
        _ request: ExecuteRequest, onStart: @escaping (ExecuteReply) -> Void = { _ in },
        onEnd: @escaping (Ending) -> Void
    ) {
        self.onEnd = onEnd
        stream = session.link.open(
            .execution(request), deliver: { [self] in receive($0) },
            completion: { [self] reply in
                switch reply {
                case .success(let reply): ExecuteReply(reply).map(onStart)
                case .failure(let error): end(isWithdrawn ? .interrupted : Ending(error))
                }
            })
    }

    /// Withdraws this requester, and no other one: the last one to withdraw cancels the execution.
    func withdraw() {
        guard !isWithdrawn else { return }
        isWithdrawn = true
        // Refused if the execution has just ended, and then `end` is on its way.
        stream.map { session.link.unsubscribe($0) }
    }

    private func receive(_ delivery: LinkDelivery) {
        switch delivery {
        case .failed(let error):
            end(Ending(error))
        case .reconnected, .finished:
            // Only of a link that reconnects, and of one without a connection.
            break
        case .event(let event):
            switch event.channel {
            case .elements:
                if let value = event.value { print(value) }
            case .errors:
                if case .error(let error) = event.content { self.error = error }
            case .lag:
                hasLost = true
                StandardStreams.note("elements were lost: \(event.value?.text ?? "")")
            case .end:
                end(ending(event))
            case .executing, .enabled, .executions, .state:
                break
            }
        }
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
            session.print(text)
        } else {
            session.print(value)
        }
    }

    private func ending(_ event: StreamEvent) -> Ending {
        guard !isWithdrawn else { return .interrupted }
        let reason = event.endReason ?? .failed
        switch reason {
        case .completed:
            return hasLost && style.strict ? Ending(outcome: .eventsLost) : .done
        case .failed, .cancelled, .timedOut:
            guard let error else { return .ended(reason) }
            if style.propagate, let status = error.commandStatus {
                return Ending(outcome: .propagated(status), message: .error(error))
            }
            return .refused(error)
        case .unsubscribed, .removed, .shutdown, .limit, .revoked:
            return .ended(reason)
        }
    }
}
