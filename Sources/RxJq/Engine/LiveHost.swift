package import RxRecords
internal import Rx
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
        _ action: String, input: RawJSON, by origin: Origin, onElement: @escaping @Sendable (RawJSON) -> Void,
        onEnd: @escaping @Sendable (RawJSON?) -> Void
    ) -> Cancel {
        guard let host, let hosted = host.registry[action] else {
            onEnd(failure("notFound", "there is no action \(action)"))
            return {}
        }
        let request = ExecutionRequest(input: input, by: origin) { event in
            switch event {
            // A caller that joins an execution receives only the retained part of its past.
            case .lost: break
            case .element(let element): onElement(element)
            case .ended(let error): onEnd(error.map { failure($0) })
            }
        }
        switch host.execute(hosted, request) {
        case .success(let execution): return { execution.cancel(by: .host) }
        case .failure(let refusal):
            onEnd(failure(refusal))
            return {}
        }
    }

    package func elements(of action: String, _ onElement: @escaping @Sendable (RawJSON) -> Void) -> Cancel {
        guard let host else { return {} }
        return host.listen(toElementsOf: action, onElement)
    }

    package func states(of reactor: String, _ onState: @escaping @Sendable (RawJSON) -> Void) -> Cancel {
        guard let host else { return {} }
        return host.listen(toStatesOf: reactor) { state in
            var writer = JSONWriter()
            state.write(to: &writer)
            onState(RawJSON(unchecked: writer.bytes))
        }
    }
}

// `.error` in a rule's `failure` program: the name used on the wire, a message, and details if there are any.

private func failure(_ name: String, _ message: String, _ facts: JSONObject = [:]) -> RawJSON {
    var error: JSONObject = ["name": .string(name), "message": .string(message)]
    for member in facts where error[member.key] == nil { error[member.key] = member.value }
    return RawJSON(.object(error))
}

private func failure(_ error: ExecutionError) -> RawJSON {
    switch error {
    case .failed(let work): failure("workFailed", work.message, work.facts)
    case .timedOut: failure("timedOut", "it took longer than it may")
    case .cancelled, .superseded, .stopped, .postponed, .interrupted: failure("cancelled", "it was cancelled")
    }
}

private func failure(_ refusal: ExecutionRefusal) -> RawJSON {
    switch refusal {
    case .input(let faults):
        failure("invalidParams", faults.first.map { "\($0.path): \($0.message)" } ?? "the input was refused")
    case .notEnabled: failure("notEnabled", "it is not enabled")
    case .queueFull: failure("queueFull", "so many wait already")
    case .keyReused, .tooManyKeys: failure("limitReached", "its key is taken")
    case .stopping: failure("shuttingDown", "the daemon is stopping")
    }
}
