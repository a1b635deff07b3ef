import Rx
import RxAction

/// What an action may publish, checked step by step: the order per execution, the levels, how many are in flight, and
/// that the reason of a refusal is true.
final class StormModel: Sendable {
    private enum Phase { case queued, executing, ended }

    private struct State {
        var phases: [ExecutionID: Phase] = [:]
        var inFlight: [ExecutionID] = []
        var waiting = 0
        var executing = false
        var enabled = true
        var isCondition = true
        var last = ""
        var isTold = false
        var refusals = 0
        var faults: [String] = []
    }

    /// nil: it changes in the course of events.
    private let overlap: Overlap?
    /// Whether the condition changes.
    private let isConditional: Bool
    private let state = Locked(State())

    init(overlap: Overlap?, isConditional: Bool) {
        self.overlap = overlap
        self.isConditional = isConditional
    }

    var faults: [String] { state.withLock { $0.faults } }
    var refusals: Int { state.withLock { $0.refusals } }
    var levels: (executing: Bool, enabled: Bool) { state.withLock { ($0.executing, $0.enabled) } }
    /// The executions that were published and have not ended.
    var unended: Int { state.withLock { $0.phases.values.count { $0 != .ended } } }
    var ended: Int { state.withLock { $0.phases.values.count { $0 == .ended } } }

    func tell(_ transition: ActionTransition<ExecutionID>) {
        let isAlone = state.withLock { state in
            defer { state.isTold = true }
            return !state.isTold
        }
        state.withLock { state in
            if !isAlone { state.faults.append("two are delivered at a time") }
            check(transition, &state)
            state.isTold = false
        }
    }

    private func check(_ transition: ActionTransition<ExecutionID>, _ state: inout State) {
        func fault(_ text: String) { state.faults.append("\(text) at \(transition) after \(state.last)") }
        checkLevels(before: transition, state, fault)
        switch transition {
        case .queued(let execution):
            if state.phases[execution.id] != nil { fault("queued again") }
            state.phases[execution.id] = .queued
            state.waiting += 1
            state.last = "queued"
        case .started(let execution):
            switch state.phases[execution.id] {
            case nil: break
            case .queued: state.waiting -= 1
            case .executing, .ended: fault("started again")
            }
            state.phases[execution.id] = .executing
            state.inFlight.append(execution.id)
            if let overlap, state.inFlight.count > overlap.width { fault("too many in flight") }
            state.last = "started"
        case .element(let execution, let element):
            if state.phases[execution.id] != .executing { fault("an element of one not in flight") }
            if element != execution.id { fault("an element of another") }
            state.last = "element"
        case .ended(let execution, let end):
            switch (state.phases[execution.id], end) {
            case (.queued, .cancelled): state.waiting -= 1
            case (.executing, _): state.inFlight.removeAll { $0 == execution.id }
            case (nil, _), (.ended, _), (.queued, .completed), (.queued, .failed): fault("cannot end")
            }
            state.phases[execution.id] = .ended
            state.last = "ended"
        case .executing(let value):
            if value == state.executing { fault("a level repeats") }
            if value == state.inFlight.isEmpty { fault("a wrong level") }
            state.executing = value
        case .enabled(let value):
            if value == state.enabled { fault("a level repeats") }
            if let accepts = accepts(state), accepts != value { fault("a wrong level") }
            state.enabled = value
        case .refused(let refusal):
            state.refusals += 1
            checkRefusal(refusal, state, fault)
            state.last = "refused"
        case .conditionFailed:
            fault("no condition failed")
        }
    }

    /// After a step the levels are right; but steps that are one change publish them with the last.
    private func checkLevels(
        before transition: ActionTransition<ExecutionID>, _ state: State, _ fault: (String) -> Void
    ) {
        switch transition {
        case .executing, .enabled: return
        case .started where state.last == "ended" || state.last == "started": return
        case .ended where state.last == "queued" || state.last == "ended": return
        case .queued, .started, .element, .ended, .refused, .conditionFailed: break
        }
        if state.executing == state.inFlight.isEmpty { fault("executing is wrong before") }
        if let accepts = accepts(state), accepts != state.enabled { fault("enabled is wrong before") }
    }

    /// Whether an input is taken in this state; nil where the model does not know.
    private func accepts(_ state: State) -> Bool? {
        guard let overlap, !isConditional else { return nil }
        return switch overlap {
        case .reject: state.inFlight.isEmpty
        case .concurrent(let limit): state.inFlight.count < limit
        case .queue(let limit, let parallel): state.inFlight.count < parallel || state.waiting < limit
        case .latest, .join: true
        }
    }

    private func checkRefusal(_ refusal: Refusal, _ state: State, _ fault: (String) -> Void) {
        switch refusal {
        case .executing(let ids, let limit):
            if let overlap, overlap.width != limit { fault("refused with another limit") }
            if ids != state.inFlight { fault("refused for others than are in flight") }
            if ids.isEmpty { fault("refused for nothing") }
            if let overlap, ids.count != overlap.width { fault("refused with room left") }
        case .queueFull(let limit):
            if state.waiting < limit { fault("refused though there is room to wait") }
        case .condition(let error):
            if !isConditional || error != nil { fault("refused for the condition") }
        case .released:
            fault("refused by one that is there")
        case .tooManyGroups:
            fault("refused for groups that it does not have")
        }
    }
}
