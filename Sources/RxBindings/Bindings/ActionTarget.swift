internal import Rx
internal import RxAction
internal import RxHost
internal import RxRecords
internal import RxStreams

/// The action of an `on`: inputs are submitted, each with the claim of its firing.
final class ActionTarget: Sendable {
    private let name: String
    private let whenFull: BindingDefinition.WhenFull
    private let host: Host
    private let log: FiringLog
    private let load: BindingLoad
    private let own: OwnExecutions
    /// Executions whose acceptance is not stored yet.
    private let unstored = Locked<[ExecutionID: HostedExecution]>([:])

    init(
        _ name: String, whenFull: BindingDefinition.WhenFull, host: Host, log: FiringLog, load: BindingLoad,
        own: OwnExecutions
    ) {
        self.own = own
        self.name = name
        self.whenFull = whenFull
        self.host = host
        self.log = log
        self.load = load
    }

    /// Whether firings wait because they cannot be stored at present. Any thread.
    var isHeld: Bool { unstored.withLock { $0.values.contains(where: \.waitsForStore) } }

    /// Takes an input, in the stream's turn.
    func take(_ item: BindingInput) -> BindingOutcome {
        guard let action = host.registry[name] else {
            log.record(item.item, input: item.input, .refused("notFound", message: "no such action: \(name)"))
            return .taken
        }
        var request = ExecutionRequest(input: item.input, causes: item.causes)
        request.publishesRefusal = false
        request.claim = log.claim(item.item, input: item.input)
        switch host.submit(action, request) {
        case .refused(.queueFull) where whenFull == .wait: return .full
        case .refused(.stopping): return .postponed
        case .refused(let refusal):
            log.record(item.item, input: item.input, refusal.outcome)
        case .done(let execution):
            log.record(
                item.item, input: item.input, .accepted(.started, execution.id), end: Firing.end(execution.end))
        case .accepted(let accepted): follow(accepted, item)
        }
        return .taken
    }

    private func follow(_ accepted: AcceptedExecution, _ item: BindingInput) {
        let acceptance = Firing.Acceptance(rawValue: accepted.disposition.rawValue) ?? .started
        let id = accepted.execution.id
        // An execution that was joined has no record of its own.
        log.record(item.item, input: item.input, .accepted(acceptance, id), isClaimed: acceptance != .joined)
        load.noteStart()
        if !accepted.isKept { load.noteFiring() }
        accepted.execution.observeEnd { [log, load, own] error in
            own.noteEnd(of: id)
            log.noteEnd(of: id, error)
            load.noteEnd()
        }
        guard !accepted.isKept else { return }
        unstored.withLock { $0[id] = accepted.execution }
        accepted.whenKept { [load, unstored] _ in
            unstored.withLock { _ = $0.removeValue(forKey: id) }
            load.noteAccepted()
        }
    }
}
