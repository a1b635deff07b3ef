public import RxRecords
public import RxAction
public import RxJSON
internal import Rx

/// An execution that was over before anyone else could look: what is kept of it, without the parts a longer one needs,
/// and the events it told, which are made only where somebody reads them.
///
/// Many thousands come in a second. So it is one object, which the log, the action's ring and who asked hold together:
/// to copy it part by part costs more than the execution.
public final class BriefExecution: @unchecked Sendable {
    public let id: ExecutionID
    public let action: HostedAction
    let by: Origin
    /// What may be shown of the input; nil if it is too large to keep.
    let input: RawJSON?
    /// Nil if it failed.
    public let element: RawJSON?
    private let failure: Failure?
    /// Whether the action was not enabled meanwhile.
    let disables: Bool
    /// Bytes of memory, about.
    let cost: Int
    // Unchecked: set once, before anyone but its maker knows the object.
    /// The cursor before its first event.
    @exclusivity(unchecked) var base: UInt64 = 0

    /// In a box because it is rare.
    private final class Failure: Sendable {
        let error: ExecutionError

        init(_ error: ExecutionError) { self.error = error }
    }

    init(
        id: ExecutionID, action: HostedAction, by: Origin, input: RawJSON?, result: Result<RawJSON, WorkFailure>,
        disables: Bool
    ) {
        self.id = id
        self.action = action
        self.by = by
        self.input = input
        self.disables = disables
        var cost = 2 * EventRing.costPerEvent + (input?.utf8.count ?? 0)
        switch result {
        case .success(let element):
            cost += element.utf8.count
            self.element = element
            failure = nil
        case .failure(let error):
            element = nil
            failure = Failure(.failed(error))
        }
        self.cost = cost
    }

    /// Nil if it did not fail.
    public var error: ExecutionError? { failure?.error }

    var record: ExecutionRecord {
        var record = ExecutionRecord(
            id: id, action: action.name, by: by, input: input, state: error?.state ?? .completed,
            queuedAt: time, elements: element == nil ? 0 : 1)
        record.startedAt = time
        record.endedAt = time
        record.error = error?.shortened(to: ExecutionRecord.errorBytesKept)
        return record
    }

    /// It was accepted, started and ended within this millisecond.
    var time: Int64 { id.milliseconds }
}

/// What of a definition a brief execution needs: in one object, since to copy the whole costs more than the execution.
public final class BriefWork: Sendable {
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
    /// - Returns: nil if the input has to go the long way, and nothing has happened.
    public func executeBriefly(_ action: HostedAction, _ input: RawJSON, by origin: Origin) -> BriefExecution? {
        action.briefWork.flatMap { executeBriefly(action, $0, input, by: origin) }
    }

    /// The same, for who has kept the action's `briefWork` since the registry was made that is still the host's.
    public func executeBriefly(
        _ action: HostedAction, _ work: BriefWork, _ input: RawJSON, by origin: Origin
    ) -> BriefExecution? {
        let id = ExecutionID()
        guard action.beginBrief(id, by: origin) else { return nil }
        guard work.validate(input).isEmpty else {
            action.endBrief()
            return nil
        }
        var shown: RawJSON?
        if input.utf8.count <= ExecutionRecord.inputBytesKept { shown = work.schema?.redacting(input) ?? input }
        let execution = BriefExecution(
            id: id, action: action, by: origin, input: shown, result: work.answer(input), disables: work.disables)
        log.ended(execution, of: action)
        if let element = execution.element { services.elementListeners.tell(action.name, element) }
        action.endBrief()
        return execution
    }
}

extension EventLog {
    /// What a brief execution would have told, all at once. The action's gate is still held, and so this is in its order.
    func ended(_ execution: BriefExecution, of action: HostedAction) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            execution.base = state.cursor
            let last = execution.lastCursor
            state.cursor = last
            if execution.disables {
                action.levels.executingMark = Mark(cursor: last - 1, time: execution.time)
                action.levels.enabledMark = Mark(cursor: last, time: execution.time)
            } else {
                action.levels.executingMark = Mark(cursor: last, time: execution.time)
            }
            state.keep(.brief(execution))
            guard action.feed.watchers > 0 || state.watchersOfAll > 0 else {
                action.feed.ring.append(execution, skip: state.skips)
                return nil
            }
            let wasEmpty = state.pending.isEmpty
            state.deliver(
                .brief(execution), events: Int(execution.count), from: execution.base + 1, bytes: execution.cost)
            action.feed.ring.append(execution, skip: state.skips)
            return wasEmpty ? state.listener : nil
        }
        wake?()
    }
}
