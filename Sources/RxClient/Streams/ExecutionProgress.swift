internal import JSONRPC
internal import RxJSON
internal import RxProtocol

/// Turns the events of an execution into its elements and its end. Pure.
struct ExecutionProgress {
    enum Step {
        case nothing
        case element(RawJSON)
        case completed
        case failed(ClientError)
    }

    /// The work's error, which comes before the end.
    private var error: RPCError?

    mutating func take(_ element: StreamElement) -> Step {
        switch element {
        case .gap(let gap):
            return .failed(
                .refused(
                    RPCError(.cursorExpired, message: "elements were lost with the connection") {
                        if let after = gap.after { $0.field("cursor", after) }
                    }))
        case .event(let event):
            return take(event)
        }
    }

    private mutating func take(_ event: StreamEvent) -> Step {
        switch event.channel {
        case .elements:
            return event.value.map(Step.element) ?? .nothing
        case .errors:
            if case .error(let error) = event.content { self.error = error }
            return .nothing
        case .lag:
            guard let dropped = event.value?.value()["dropped"]?.int else {
                return .failed(
                    .refused(RPCError(.cursorExpired, message: "elements may be missing: they are not kept")))
            }
            return .failed(
                .refused(
                    RPCError(.limitReached, message: "\(dropped) elements were dropped: the reader is too slow") {
                        $0.field("dropped", dropped)
                    }))
        case .end:
            return end(event)
        case .executing, .enabled, .executions, .state, .firings:
            return .nothing
        }
    }

    private func end(_ event: StreamEvent) -> Step {
        let code: ErrorCode
        switch event.reason {
        case .completed: return .completed
        case .failed: code = .workFailed
        case .cancelled, .unsubscribed: code = .cancelled
        case .timedOut: code = .timedOut
        case .removed: code = .notFound
        case .shutdown: code = .shuttingDown
        case .limit: code = .limitReached
        case .revoked: code = .forbidden
        // The past of an execution in flight, or a reason that this release does not know, is not success.
        case .caughtUp, nil: code = .workFailed
        }
        return .failed(.refused(error ?? RPCError(code)))
    }
}
