internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxRecords

extension ExecutionRefusal {
    /// Why the input was not taken, in a sentence without a period.
    var message: String {
        switch self {
        case .input(let faults):
            faults.map { "\($0.path.isEmpty ? "the input" : $0.path) \($0.message)" }.joined(separator: "; ")
        case .notEnabled(let enabled): enabled.reason?.text ?? "the action is not enabled"
        case .queueFull(let limit): "\(limit) inputs are queued already"
        case .tooManyGroups(let limit): "\(limit) groups of the action have executions already"
        case .keyReused: "the key was used before with another input"
        case .tooManyKeys(let limit), .tooManyKeysOfUser(let limit): "\(limit) keys are remembered already"
        case .tooManyScheduled(let limit), .tooManyScheduledOfUser(let limit):
            "\(limit) executions wait for their time already"
        case .tooManyBytesOfUser(let limit): "the user at its origin uses its share of bytesPerUid (\(limit))"
        case .tooManyAwaited(let limit): "it would wait for more than \(limit) executions"
        case .cannotSchedule: "this daemon does not support times"
        case .stopping: "the daemon is stopping"
        }
    }

    /// The outcome of an element that started nothing. One that the schema rejects would be rejected again: it failed.
    var outcome: Firing.Outcome {
        if case .input = self { .failed(message) } else { .refused(name.rawValue, message: message) }
    }
}

extension UnmetCondition {
    /// The condition, or which parts of it do not hold.
    fileprivate var words: String { text ?? "\(reactor ?? ""): \(when ?? "")" }
}

extension DisabledReason {
    /// Why an action takes no input, without the values of a condition.
    fileprivate var text: String {
        switch self {
        case .executing(let id, _, _, _, limit: 1): "\(id) is executing"
        case .executing(_, _, _, let inFlight, let limit): "\(inFlight) of \(limit) executions are in flight"
        case .condition: "its condition does not hold"
        case .unmet(let condition): "its condition does not hold (\(condition.words))"
        case .manual(let manual): manual.text
        case .stopping: "the daemon is stopping"
        }
    }
}

extension DispatchRefusal {
    /// The outcome of an element that a reactor did not reduce.
    var outcome: Firing.Outcome {
        switch self {
        case .input(let faults): .failed(faults.map { "\($0.path) \($0.message)" }.joined(separator: "; "))
        // Who may subscribe to the stream need not see the values of the reactor.
        case .failed(let fault): .failed(fault.publicText)
        case .refused(let fault): .refused("notEnabled", message: fault.message)
        case .notKept(let error): .failed("\(error)")
        case .full(let limit): .refused("queueFull", message: "\(limit) actions are unanswered already")
        case .tooManyBytes(let limit): .refused("queueFull", message: "unanswered actions have \(limit) bytes already")
        case .stopping: .refused("shuttingDown", message: "the daemon is stopping")
        }
    }
}
