public import RxAction
public import RxJSON
internal import Rx

/// An execution that was over before anyone else could look: what is kept of it, without the parts a longer one needs.
///
/// Many thousands come in a second and one is kept for each of the last thousand: what is rare is in a box.
struct BriefExecution: Sendable {
    final class Failure: Sendable {
        let error: ExecutionError

        init(_ failure: WorkFailure) { error = .failed(failure) }
    }

    let id: ExecutionID
    let action: HostedAction
    let by: Origin
    /// What may be shown of the input; nil if it is too large to keep.
    let input: RawJSON?
    let failure: Failure?

    var record: ExecutionRecord {
        var record = ExecutionRecord(
            id: id, action: action.name, by: by, input: input, state: failure?.error.state ?? .completed,
            queuedAt: time, elements: failure == nil ? 1 : 0)
        record.startedAt = time
        record.endedAt = time
        record.error = failure?.error.shortened(to: EventLog.errorBytesKept)
        return record
    }

    /// It was accepted, started and ended within this millisecond.
    var time: Int64 { id.milliseconds }
}

/// What of a definition a brief execution needs: in one object, since to copy the whole costs more than the execution.
final class BriefWork: Sendable {
    let answer: @Sendable (RawJSON) -> Result<RawJSON, WorkFailure>
    let validate: @Sendable (RawJSON) -> [InputFault]
    let schema: JSONSchema?
    /// Whether one execution in flight disables the action.
    let disables: Bool

    /// Nil where more is asked of executions than a brief one does.
    init?(_ definition: ActionDefinition) {
        guard let answer = definition.answer, !definition.keepsHistory, !definition.isDurable, definition.retry == nil
        else { return nil }
        switch definition.overlap {
        case .reject: disables = true
        case .queue, .latest, .join: disables = false
        // Its levels depend on what else is in flight.
        case .concurrent: return nil
        }
        self.answer = answer
        validate = definition.validate
        schema = definition.schema
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
        let id = ExecutionID()
        guard let work = action.beginBrief(id, by: origin) else { return nil }
        guard work.validate(input).isEmpty else {
            action.endBrief()
            return nil
        }
        let answer = work.answer(input)
        var shown: RawJSON?
        if input.utf8.count <= EventLog.inputBytesKept { shown = work.schema?.redacting(input) ?? input }
        var failure: BriefExecution.Failure?
        if case .failure(let error) = answer { failure = BriefExecution.Failure(error) }
        log.ended(
            BriefExecution(id: id, action: action, by: origin, input: shown, failure: failure), answer,
            disables: work.disables)
        if case .success(let element) = answer { services.elementListeners.tell(action.name, element) }
        action.endBrief()
        return (id, answer)
    }
}

extension EventLog {
    /// What a brief execution would have told, all at once. The action's gate is still held, and so this is in its order.
    func ended(
        _ execution: __owned BriefExecution, _ result: Result<RawJSON, WorkFailure>, disables: Bool
    ) {
        let element: RawJSON? = if case .success(let element) = result { element } else { nil }
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            let events = BriefEvents(execution: execution, element: element, base: state.cursor, disables: disables)
            state.cursor = events.lastCursor
            let action = execution.action
            action.levels.executingMark = Mark(
                cursor: disables ? events.lastCursor - 1 : events.lastCursor, time: execution.time)
            if disables { action.levels.enabledMark = Mark(cursor: events.lastCursor, time: execution.time) }
            state.keep(.brief(execution))
            guard action.feed.watchers > 0 || state.watchersOfAll > 0 else {
                action.feed.ring.append(events, skip: state.skips)
                return nil
            }
            let wasEmpty = state.pending.isEmpty
            state.deliver(.brief(events), events: Int(events.count), from: events.base + 1, bytes: events.cost)
            action.feed.ring.append(events, skip: state.skips)
            return wasEmpty ? state.listener : nil
        }
        wake?()
    }
}
