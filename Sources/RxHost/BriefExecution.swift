public import RxAction
public import RxJSON
internal import Rx

/// An execution that was over before anyone else could look: what is kept of it, without the parts a longer one needs.
public struct BriefExecution: Sendable {
    public let id: ExecutionID
    let action: HostedAction
    let by: Origin
    /// What may be shown of the input; nil if it is too large to keep.
    let input: RawJSON?
    /// Milliseconds since 1970; it was accepted, started and ended within that one.
    let time: Int64
    let failure: ExecutionError?

    var record: ExecutionRecord {
        var record = ExecutionRecord(
            id: id, action: action.name, by: by, input: input, state: failure?.state ?? .completed, queuedAt: time,
            elements: failure == nil ? 1 : 0)
        record.startedAt = time
        record.endedAt = time
        record.error = failure
        return record
    }
}

extension Host {
    /// Executes an input whose work is a function of it, where that comes to the same as `submit` with an observer: the
    /// gate is asked, the record is kept, and who watches the action is told.
    ///
    /// - Returns: the execution and what it has answered; nil if the input has to go the long way, and nothing has happened.
    public func executeBriefly(
        _ action: HostedAction, _ input: RawJSON, by origin: Origin
    ) -> (id: ExecutionID, answer: Result<RawJSON, WorkFailure>)? {
        let definition = action.currentDefinition.value
        guard definition.isBrief, let answer = definition.answer, definition.validate(input).isEmpty else { return nil }
        let id = ExecutionID()
        guard action.beginBrief(id) else { return nil }
        let result = answer(input)
        var failure: ExecutionError?
        if case .failure(let error) = result { failure = .failed(error).shortened(to: EventLog.errorBytesKept) }
        let shown = input.utf8.count > EventLog.inputBytesKept ? nil : definition.shown(input)
        log.ended(
            BriefExecution(
                id: id, action: action, by: origin, input: shown, time: id.milliseconds, failure: failure),
            result)
        action.endBrief()
        return (id, result)
    }
}

extension ActionDefinition {
    /// Whether nothing is asked of its executions that a brief one does not do.
    fileprivate var isBrief: Bool {
        guard !keepsHistory, !isDurable, retry == nil else { return false }
        switch overlap {
        case .reject, .queue, .latest, .join: return true
        // Its levels depend on what else is in flight.
        case .concurrent: return false
        }
    }
}

extension EventLog {
    /// What a brief execution would have told, all at once. The action's gate is still held, and so this is in its order.
    func ended(_ execution: BriefExecution, _ result: Result<RawJSON, WorkFailure>) {
        let action = execution.action
        change { state in
            if action.levels.watchers == 0 {
                // As many as below, so that cursors do not depend on who looks.
                state.cursor += action.tellsEnabled ? 7 : 5
            } else {
                tell(execution, result, &state)
            }
            state.keep(.brief(execution))
        }
    }

    private func tell(
        _ execution: BriefExecution, _ result: Result<RawJSON, WorkFailure>, _ state: inout State
    ) {
        let (action, time) = (execution.action, execution.time)
        let end = execution.record
        var start = end
        start.state = .executing
        start.endedAt = nil
        start.elements = 0
        start.error = nil
        func publish(_ change: HostEvent.Change, of execution: ExecutionID? = nil) {
            state.publish(change, of: action, id: execution, at: time)
        }
        publish(.execution(start), of: execution.id)
        publish(.executing(true))
        if action.tellsEnabled {
            publish(.enabled(Enabled(reason: .executing(execution.id, since: time, by: execution.by))))
        }
        switch result {
        case .success(let element): publish(.element(element), of: execution.id)
        case .failure(let failure): publish(.failure(.failed(failure)), of: execution.id)
        }
        publish(.execution(end), of: execution.id)
        publish(.executing(false))
        if action.tellsEnabled { publish(.enabled(Enabled(reason: nil))) }
    }
}

extension HostedAction {
    /// Whether one execution in flight disables it.
    fileprivate var tellsEnabled: Bool { currentDefinition.value.overlap == .reject }
}
