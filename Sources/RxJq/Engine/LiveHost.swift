package import RxRecords
package import Rx
package import RxHost
package import RxJSON

/// A host as its reactors see it. Created before the host, because the host needs its reactors first.
package final class LiveHost: JqReactorHost {
    private struct Weak: Sendable {
        weak var host: Host?
    }

    private let known = Locked(Weak())

    package init() {}

    package var host: Host? { known.withLock { $0.host } }

    /// Sets the host. Call it before any reactor starts.
    package func enter(_ host: Host) { known.withLock { $0.host = host } }

    package func execute(
        _ action: String, input: RawJSON, causes: Causes, onElement: @escaping @Sendable (RawJSON) -> Void,
        onEnd: @escaping @Sendable (RawJSON?) -> Void
    ) -> any Disposable {
        guard let host, let hosted = host.registry[action] else {
            onEnd(failure(.notFound, "there is no action \(action)"))
            return Disposables.create()
        }
        let requester = host.makeRequester()
        let submission = host.submit(hosted, ExecutionRequest(input: input, causes: causes, requester: requester)) {
            { event in
                switch event {
                // A caller that joins an execution receives only the retained part of its past.
                case .lost: break
                case .element(let element): onElement(element)
                case .ended(let error): onEnd(error.map { failure($0) })
                }
            }
        }
        switch submission {
        case .done(let execution):
            if let element = execution.element { onElement(element) }
            onEnd(execution.error.map { failure($0) })
            return Disposables.create()
        case .accepted(let accepted):
            accepted.goOnUnreported()
            // It may have joined an execution that others have requested, or others may have joined.
            return Disposables.create {
                accepted.stopObserving()
                accepted.execution.withdraw(requester)
            }
        case .refused(let refusal):
            onEnd(failure(refusal))
            return Disposables.create()
        }
    }

    package func elements(of action: String, _ onElement: @escaping @Sendable (RawJSON) -> Void) -> any Disposable {
        guard let host else { return Disposables.create() }
        return host.listen(toElementsOf: action, onElement)
    }

    package func states(of reactor: String, _ onState: @escaping @Sendable (RawJSON) -> Void) -> any Disposable {
        guard let host else { return Disposables.create() }
        return host.listen(toStatesOf: reactor) { state in
            var writer = JSONWriter()
            state.write(to: &writer)
            onState(RawJSON(unchecked: writer.bytes))
        }
    }
}

// `.error` in a rule's `failure` program: the name used on the wire, a message, and details if there are any.

private func failure(_ name: ErrorName, _ message: String, _ facts: JSONObject = [:]) -> RawJSON {
    var error: JSONObject = ["name": .string(name.rawValue), "message": .string(message)]
    for member in facts where error[member.key] == nil { error[member.key] = member.value }
    return RawJSON(.object(error))
}

private func failure(_ error: ExecutionError) -> RawJSON {
    switch error {
    case .failed(let work): failure(error.name, work.message, work.facts)
    case .timedOut: failure(error.name, "it took longer than it may")
    case .interrupted: failure(error.name, "the daemon ended before the work did")
    case .cancelled, .superseded, .stopped, .postponed: failure(error.name, "it was canceled")
    }
}

private func failure(_ refusal: ExecutionRefusal) -> RawJSON {
    let message =
        switch refusal {
        case .input(let faults): faults.first.map { "\($0.path): \($0.message)" } ?? "the input is refused"
        case .notEnabled: "it is not enabled"
        case .queueFull: "its queue is full"
        case .tooManyGroups: "too many of its groups have executions"
        case .keyReused: "its key was used before with another input"
        case .tooManyKeys, .tooManyKeysOfUser: "too many keys are remembered"
        case .tooManyScheduled, .tooManyScheduledOfUser: "too many executions wait for their time"
        case .tooManyBytesOfUser: "its user has reached the limit bytesPerUid"
        case .tooManyAwaited: "it would wait for too many executions"
        case .cannotSchedule: "this daemon does not support times"
        case .stopping: "the daemon is stopping"
        }
    return failure(refusal.name, message)
}
