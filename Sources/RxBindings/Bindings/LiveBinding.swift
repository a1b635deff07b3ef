internal import RxStore
internal import Rx
internal import RxAction
package import RxHost
internal import RxJSON
internal import RxPlatform
internal import RxRecords
package import RxStreams
internal import RxTime

/// An `on` in a daemon: makes inputs of elements and gives them to an action or a reactor.
// Unchecked: `waiting`, `retry`, and `claimed` belong to the stream's turn; the rest is constant or locked.
final class LiveBinding: @unchecked Sendable {
    /// How long an `on` waits before it tries a full queue again, unless an execution of its own ends before.
    private static let retryDelay = 200_000

    let definition: BindingDefinition
    private let host: Host
    /// Weak: an execution may end after the stream.
    private weak var stream: LiveStream?
    private let name: String
    private let claims: Bool
    private let evaluator: any ProgramEvaluator
    /// Elements that wait because a queue is full, oldest first.
    private var waiting: [StreamElement] = []
    /// The last slot that was claimed.
    private var claimed: Instant?
    private let history: Locked<FiringHistory>
    private let state = Locked(State())

    private struct State {
        /// Firings whose acceptance is not stored yet.
        var unaccepted = 0
        /// Executions in flight that this `on` has started.
        var inFlight = 0
        /// Why the `on` takes nothing until it is enabled again.
        var paused: String?
        var isFull = false
    }

    init(
        _ definition: BindingDefinition, of stream: LiveStream, host: Host, evaluator: any ProgramEvaluator,
        stored: [String: RawJSON]
    ) {
        self.definition = definition
        self.stream = stream
        name = stream.name
        claims = stream.claims
        self.host = host
        self.evaluator = evaluator
        history = Locked(FiringHistory(stored: stored))
        claimed = stored[Self.slotRow].flatMap { $0.value().int }.map { Instant(microseconds: Int64($0)) }
    }

    private static let slotRow = "slot"

    /// The owner of its rows.
    static func owner(_ stream: String, _ definition: BindingDefinition) -> String {
        switch definition.target {
        case .action(let name): "\(stream) action \(name)"
        case .reactor(let name): "\(stream) reactor \(name)"
        }
    }

    private var owner: String { Self.owner(name, definition) }

    // MARK: For readers

    var firings: [Firing] { history.withLock { $0.last } }
    var counts: [String: Int] { history.withLock { $0.counts } }
    /// Why the `on` takes nothing: a full queue, or a loop.
    var obstacle: String? {
        state.withLock { state in
            state.paused ?? (state.isFull ? "the queue of \(definition.target.name) is full" : nil)
        }
    }

    // MARK: In the stream's turn

    /// Whether elements wait for room in a queue.
    var isWaiting: Bool { !waiting.isEmpty }
    /// Whether firings are not stored yet.
    var hasUnaccepted: Bool { state.withLock { $0.unaccepted > 0 } }
    /// Whether executions that it has started are in flight.
    var hasInFlight: Bool { state.withLock { $0.inFlight > 0 } }

    /// Takes an element of the stream.
    func take(_ element: StreamElement) {
        if isWaiting || !fire(element) { waiting.append(element) }
    }

    /// Tries again what waits.
    func retry() {
        var taken = 0
        while taken < waiting.count, fire(waiting[taken]) { taken += 1 }
        waiting.removeFirst(taken)
    }

    func resume() { state.withLock { $0.paused = nil } }

    /// Drops what waits for room in a queue: the stream is disabled.
    func dropWaiting() {
        waiting = []
        state.withLock { $0.isFull = false }
    }

    /// The rows of the firings that are out of date.
    func takeRows() -> [StreamRow] { history.withLock { $0.takeRows(of: owner) } }

    /// All that is stored of it, for a successor.
    var allRows: [StreamRow] {
        let firings = history.withLock { $0.rows(of: owner) }
        guard let claimed else { return firings }
        return firings + [
            StreamRow(stream: owner, name: Self.slotRow, value: RawJSON(JSONValue(Int(claimed.microseconds))))
        ]
    }

    /// - Returns: whether the element is done with; false if the queue is full and the `on` waits.
    private func fire(_ element: StreamElement) -> Bool {
        // The slot was claimed before the daemon was killed.
        if let slot = element.origin?.scheduled, let claimed, slot <= claimed { return true }
        if let reason = state.withLock({ $0.paused }) {
            record(element, input: nil, .refused("paused", message: reason))
            return true
        }
        let causes = causes(of: element)
        if causes.links.count >= Causes.mostLinks {
            let reason =
                "a loop: \(Causes.mostLinks) executions in a row have caused each other; break it, then enable it"
            state.withLock { $0.paused = reason }
            record(element, input: nil, .refused("paused", message: reason))
            return true
        }
        guard let input = input(of: element) else { return true }
        switch definition.target {
        case .action(let name): return execute(name, input, element, causes)
        case .reactor(let name):
            dispatch(name, input, element, causes)
            return true
        }
    }

    private func input(of element: StreamElement) -> RawJSON? {
        guard let program = definition.input else { return element.value }
        let input = ProgramInput(value: element.value, time: element.time, key: element.key, from: element.from)
        switch evaluator.evaluate(program, on: [input]).first {
        case .values(let values)? where values.count == 1: return values[0]
        case .failed(let message)?:
            record(element, input: nil, .failed("input: \(message)"))
            stream?.report(
                StreamFailure(
                    operatorName: "input", program: program.text, message: message, element: element.value))
        case .values?, nil: record(element, input: nil, .failed("input: gave no single result"))
        }
        return nil
    }

    /// The stream, then what led to the event that the element stands for.
    private func causes(of element: StreamElement) -> Causes {
        let origin = Origin.stream(name, scheduled: element.origin?.scheduled.map(TimeText.utc))
        guard let stored = element.origin?.causes.flatMap({ Causes(stored: $0.value()) }) else {
            return Causes(origin)
        }
        return Causes(origin, after: EarlierCauses(stored))
    }

    // MARK: Actions

    private func execute(_ name: String, _ input: RawJSON, _ element: StreamElement, _ causes: Causes) -> Bool {
        guard let action = host.registry[name] else {
            record(element, input: input, .refused("notFound", message: "no such action: \(name)"))
            return true
        }
        let slot = element.origin?.scheduled
        var request = ExecutionRequest(input: input, causes: causes)
        request.publishesRefusal = false
        let owner = owner
        let number = history.withLock { $0.number } + 1
        if claims {
            request.claim = { [self] record in
                let acceptance: Firing.Acceptance = record.startedAt == nil ? .queued : .started
                let firing = made(number, element, input, .accepted(acceptance, record.id))
                var rows = [StreamRow(stream: owner, name: FiringHistory.row(number), value: RawJSON(firing.stored))]
                if let slot {
                    rows.append(
                        StreamRow(stream: owner, name: Self.slotRow, value: RawJSON(JSONValue(Int(slot.microseconds)))))
                }
                return rows
            }
        }
        switch host.submit(action, request) {
        case .refused(.queueFull) where definition.whenFull == .wait:
            state.withLock { $0.isFull = true }
            stream?.retryLater(after: Self.retryDelay)
            return false
        case .refused(.stopping):
            // The next daemon owes it.
            return false
        case .refused(let refusal):
            record(element, input: input, .refused(refusal.name.rawValue, message: refusal.message), isFinal: true)
        case .done(let execution):
            record(element, input: input, .accepted(.started, execution.id), isFinal: true)
            noteEnd(of: execution.id, execution.end)
        case .accepted(let accepted):
            let acceptance = Firing.Acceptance(rawValue: accepted.disposition.rawValue) ?? .started
            let id = accepted.execution.id
            record(element, input: input, .accepted(acceptance, id), isFinal: acceptance == .joined)
            state.withLock { state in
                state.inFlight += 1
                if !accepted.isKept { state.unaccepted += 1 }
            }
            accepted.execution.observe { [weak self] event in
                guard case .ended(let error) = event else { return }
                self?.noteEnd(of: id, error)
                self?.ended()
            }
            guard !accepted.isKept else { break }
            accepted.whenKept { [weak self] _ in
                self?.state.withLock { $0.unaccepted -= 1 }
                self?.stream?.wake()
            }
        }
        if let slot { claimed = slot }
        state.withLock { $0.isFull = false }
        return true
    }

    private func ended() {
        state.withLock { $0.inFlight -= 1 }
        stream?.wake()
    }

    private func noteEnd(of id: ExecutionID, _ error: ExecutionError?) {
        let name = error.map { $0.name.rawValue } ?? "completed"
        history.withLock { $0.noteEnd(of: id, name) }
        stream?.noteFirings()
    }

    // MARK: Reactors

    private func dispatch(_ name: String, _ input: RawJSON, _ element: StreamElement, _ causes: Causes) {
        guard let reactor = host.registry.reactor(name) else {
            return record(element, input: input, .refused("notFound", message: "no such reactor: \(name)"))
        }
        state.withLock { $0.unaccepted += 1 }
        reactor.dispatch(input, causes: causes) { [weak self] result in
            guard let self else { return }
            // In a turn, so that firings are numbered in order.
            self.stream?.perform {
                switch result {
                case .success(let revision): self.record(element, input: input, .reduced(revision), isFinal: true)
                case .failure(let refusal): self.record(element, input: input, refusal.outcome, isFinal: true)
                }
                self.state.withLock { $0.unaccepted -= 1 }
            }
        }
        if let slot = element.origin?.scheduled { claimed = slot }
    }

    // MARK: Firings

    private func made(
        _ number: Int, _ element: StreamElement, _ input: RawJSON?, _ outcome: Firing.Outcome
    ) -> Firing {
        Firing(
            number: number, time: host.platform.wallClock.milliseconds, target: definition.target.name,
            input: input.flatMap { $0.utf8.count <= Firing.inputBytes ? host.shown($0, for: definition) : nil },
            scheduled: element.origin?.scheduled.map(TimeText.utc), outcome: outcome)
    }

    /// - Parameter isFinal: whether nothing else stores that the slot is done with.
    private func record(
        _ element: StreamElement, input: RawJSON?, _ outcome: Firing.Outcome, isFinal: Bool = true
    ) {
        let firing = history.withLock { history in
            let firing = made(history.number + 1, element, input, outcome)
            history.append(firing)
            return firing
        }
        if isFinal, claims, let slot = element.origin?.scheduled {
            claimed = slot
            stream?.store([
                StreamRow(stream: owner, name: Self.slotRow, value: RawJSON(JSONValue(Int(slot.microseconds)))),
                StreamRow(stream: owner, name: FiringHistory.row(firing.number), value: RawJSON(firing.stored)),
            ])
        }
        stream?.noteFirings()
        stream?.publish(firing)
    }
}

extension Host {
    /// An input without what its action marks as secret.
    fileprivate func shown(_ input: RawJSON, for binding: BindingDefinition) -> RawJSON {
        guard case .action(let name) = binding.target, let action = registry[name] else { return input }
        return action.shown(input)
    }
}

extension ExecutionRefusal {
    var message: String {
        switch self {
        case .input(let faults):
            faults.map { "\($0.path.isEmpty ? "the input" : $0.path) \($0.message)" }.joined(separator: "; ")
        case .notEnabled(let enabled): enabled.reason?.text ?? "the action is not enabled"
        case .queueFull(let limit): "\(limit) inputs are queued already"
        case .keyReused: "the key was used with another input"
        case .tooManyKeys(let limit), .tooManyKeysOfUser(let limit): "\(limit) keys are remembered already"
        case .tooManyScheduled(let limit), .tooManyScheduledOfUser(let limit):
            "\(limit) executions wait for their time already"
        case .cannotSchedule: "nothing can be started at a time here"
        case .stopping: "the daemon is stopping"
        }
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
        case .executing(let id, _, _): "\(id) is executing"
        case .condition: "its condition does not hold"
        case .unmet(let condition): "its condition does not hold (\(condition.words))"
        case .manual(let manual): manual.text
        case .stopping: "the daemon is stopping"
        }
    }
}

extension DispatchRefusal {
    fileprivate var outcome: Firing.Outcome {
        switch self {
        case .input(let faults): .failed(faults.map { "\($0.path) \($0.message)" }.joined(separator: "; "))
        case .failed(let fault): .failed(fault.text)
        case .notKept(let error): .failed("\(error)")
        case .full(let limit): .refused("queueFull", message: "\(limit) actions are unanswered already")
        case .tooManyBytes(let limit): .refused("queueFull", message: "unanswered actions have \(limit) bytes already")
        case .stopping: .refused("shuttingDown", message: "the daemon is stopping")
        }
    }
}
