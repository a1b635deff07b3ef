internal import Rx
internal import RxHost
internal import RxJSON
internal import RxRecords
internal import RxSources
internal import RxStore
internal import RxStreams
internal import RxTime

/// An `on` in a daemon: makes inputs of elements and gives them to an action or a reactor.
// Unchecked: `waiting` and `owing` belong to the stream's turn; the rest is constant or locked.
final class LiveBinding: @unchecked Sendable {
    /// How long an `on` waits before it tries a full queue again, unless an execution of its own ends before.
    private static let retryDelay: Int64 = 200_000

    let definition: BindingDefinition
    private let target: Target
    private let secrets: TargetSecrets
    private let evaluator: any ProgramEvaluator
    private let turns: StreamTurns
    private let output: StreamOutput
    private let log: FiringLog
    private let load: BindingLoad
    private let clock: any AlarmClock
    /// When a full queue is tried again.
    private let alarm: StreamAlarm
    private let level: LevelKind
    private let own: OwnExecutions
    /// Whether elements wait for the end of a pause; otherwise they are refused.
    private let holds: Bool
    /// Elements that wait because a queue is full, the `on` is paused, or the stream is disabled, oldest first.
    private var waiting: [OwedElement]
    /// What a stream owes that has a schedule or another source of its own history; nil for another stream, whose
    /// elements are fired as they come.
    private var owing: OwedFirings?
    private let state = Locked(State())

    private enum Target {
        case action(ActionTarget)
        case reactor(ReactorTarget)
    }

    private struct State {
        /// Why the `on` takes nothing until it is enabled again.
        var paused: String?
        /// Whether it waits until it is known what causes its elements.
        var isExamining = false
        var isFull = false
    }

    init(
        _ definition: BindingDefinition, _ log: FiringLog, _ level: LevelKind,
        owing: (firings: OwedFirings, owed: [OwedElement])?, own: OwnExecutions, holds: Bool, services: StreamServices,
        turns: StreamTurns, output: StreamOutput
    ) {
        self.own = own
        self.holds = holds
        self.owing = owing?.firings
        waiting = owing?.owed ?? []
        self.level = level
        self.definition = definition
        self.log = log
        self.turns = turns
        self.output = output
        evaluator = services.evaluator
        clock = services.clock
        alarm = StreamAlarm(services)
        let host = services.host
        secrets = TargetSecrets(target: definition.target, host: host)
        load = BindingLoad(turns)
        switch definition.target {
        case .action(let name):
            target = .action(
                ActionTarget(name, whenFull: definition.whenFull, host: host, log: log, load: load, own: own))
        case .reactor(let name):
            target = .reactor(ReactorTarget(name, host: host, turns: turns, log: log, load: load))
        }
    }

    // MARK: On any thread

    var firings: [Firing] { log.last }
    var counts: [String: Int] { log.counts }
    /// Why the `on` takes nothing, or what it has taken has to wait: a full queue, a loop, or a full disk.
    var obstacle: String? {
        if case .action(let action) = target, action.isHeld {
            return "a firing cannot be stored; it starts once the state directory can be written again"
        }
        return state.withLock { state in
            if let paused = state.paused { return paused }
            if state.isExamining {
                return "file events came only during its executions; it waits to see whether any come without them"
            }
            return state.isFull ? "the queue of \(definition.target.name) is full" : nil
        }
    }

    /// An `on` that was paused for a loop goes on, with the elements that wait.
    func resume() {
        own.pardon(at: clock.now)
        state.withLock { $0.paused = nil }
        turns.wake()
    }

    // MARK: In the stream's turn

    /// A value without what the target marks as secret in the input of an element. Without an input, nobody knows where
    /// the secrets are.
    func redacting(_ value: RawJSON, of element: StreamElement) -> RawJSON {
        guard secrets.mayExist else { return value }
        guard case .values(let inputs) = inputs(of: element), !inputs.isEmpty else {
            return RawJSON(.string(JSONSchema.redacted))
        }
        return SecretMask(inputs.flatMap(secrets.texts))?.masking(value) ?? value
    }

    /// Follows the executions of an earlier run.
    func begin() { log.followEarlier() }

    /// A successor follows the executions from now on.
    func end() {
        log.end()
        alarm.cancel()
    }

    /// Whether elements wait for room in a queue.
    var isWaiting: Bool { !waiting.isEmpty }
    var waitingSize: InboxSize {
        InboxSize(elements: waiting.count, bytes: waiting.reduce(0) { $0 + $1.element.size })
    }
    /// Whether firings are not stored yet.
    var hasUnaccepted: Bool { load.hasUnaccepted }
    /// Whether executions that it has started are in flight.
    var hasInFlight: Bool { load.hasInFlight }

    /// Takes an element of the stream.
    ///
    /// - Parameters:
    ///   - isReplay: whether it is a current value that was current before the stream began.
    ///   - fires: whether the stream fires now; if not, the element waits for `retry`.
    func take(_ element: StreamElement, isReplay: Bool, fires: Bool) {
        if isReplay, log.hasTaken(element) { return }
        guard owing == nil else {
            owing?.take(element)
            return
        }
        var item = OwedElement(element: element, receipt: .none)
        if isWaiting || !fires { return wait(item) }
        if !fire(&item) { waiting.append(item) }
    }

    /// The newest value of a level waits in the place of the oldest.
    private func wait(_ item: OwedElement) {
        let key = item.element.levelKey(level)
        guard level != .none, let index = waiting.firstIndex(where: { $0.element.levelKey(level) == key }) else {
            return waiting.append(item)
        }
        waiting[index] = item
        output.note(coalesced: 1)
    }

    /// Whether the positions cannot be stored yet: elements were fired before that, and not all of them are accepted.
    var awaitsAcceptance: Bool { (owing?.hasFired ?? false) && load.hasUnaccepted }

    /// The positions are going to be stored.
    ///
    /// - Returns: the rows for the same transaction. After it, `retry` fires what has come.
    func commit() -> [StreamRow] {
        guard let (rows, owed) = owing?.commit(waiting) else { return [] }
        waiting = owed
        return rows
    }

    /// Fires what has come, although the positions cannot be stored yet.
    func fireUncommitted() {
        guard let items = owing?.takeUncommitted(), !items.isEmpty else { return }
        waiting += items
        retry()
    }

    /// Tries again what waits, for as long as the turn may take.
    func retry() {
        var taken = 0
        while taken < waiting.count {
            var item = waiting[taken]
            guard fire(&item) else {
                waiting[taken] = item
                break
            }
            taken += 1
            if taken < waiting.count, let turn = StreamTurn.current, !turn.mayGoOn() {
                turns.wake()
                break
            }
        }
        waiting.removeFirst(taken)
    }

    /// Drops what waits for room in a queue: the stream is disabled.
    ///
    /// - Returns: rows that are obsolete.
    func dropWaiting() -> [StreamRow] {
        defer { waiting = [] }
        alarm.cancel()
        state.withLock { state in
            state.isFull = false
            state.isExamining = false
        }
        return log.rows(of: waiting.map(\.receipt))
    }

    /// The rows of the firings that are out of date.
    func takeRows() -> [StreamRow] { log.takeRows() }

    /// All that is stored of it, for a successor.
    var allRows: [StreamRow] { log.allRows + (owing?.rows(waiting) ?? []) }

    /// - Returns: whether the element is done with; false if the `on` waits.
    private func fire(_ item: inout OwedElement) -> Bool {
        guard decide(&item) else { return false }
        log.noteTaken(item.element)
        return true
    }

    private func decide(_ item: inout OwedElement) -> Bool {
        let causes = own.causes(of: item.element)
        let isExamining = own.examines(causes, of: item.element, at: clock.now)
        state.withLock { $0.isExamining = isExamining }
        guard !isExamining else {
            retryLater()
            return false
        }
        if let reason = obstacle(causes) {
            guard !holds else { return false }
            log.record(item, input: nil, .refused("paused", message: reason))
            return true
        }
        if item.input == nil { item.input = input(of: item) }
        guard let input = item.input else { return true }
        return give(BindingInput(item: item, input: input, causes: causes))
    }

    /// Why an element is not taken: the `on` is paused, or is from now on.
    private func obstacle(_ causes: Causes) -> String? {
        let (reason, isNew) = state.withLock { state in
            let isNew = state.paused == nil && causes.links.count >= Causes.mostLinks
            if isNew {
                state.paused =
                    "a loop: \(Causes.mostLinks) executions in a row have caused each other; break it, then enable it"
            }
            return (state.paused, isNew)
        }
        if isNew, let reason {
            output.report(StreamFailure(operatorName: "on", message: "\(definition.target.name) is paused: \(reason)"))
        }
        return reason
    }

    private func input(of item: OwedElement) -> RawJSON? {
        switch inputs(of: item.element) {
        case .values(let values)? where values.count == 1: return values[0]
        case .failed(let reason)?:
            let isSecret = secrets.mayExist
            let message = isSecret ? "failed, on an element that may have secret values" : reason
            log.record(item, input: nil, .failed("input: \(message)"))
            output.report(
                StreamFailure(
                    operatorName: "input", program: definition.input?.text, message: message,
                    element: isSecret ? nil : item.element.value))
        case .values?, nil: log.record(item, input: nil, .failed("input: gave no single result"))
        }
        return nil
    }

    /// What the program of inputs makes of an element; without one, the element itself.
    private func inputs(of element: StreamElement) -> ProgramResult? {
        guard let program = definition.input else { return .values([element.value]) }
        let input = ProgramInput(value: element.value, time: element.time, key: element.key, from: element.from)
        return evaluator.evaluate(program, on: [input]).first
    }

    private func give(_ item: BindingInput) -> Bool {
        let outcome =
            switch target {
            case .reactor(let reactor): reactor.take(item) { [weak self] in self?.takeBack(item.item) }
            case .action(let action): action.take(item)
            }
        state.withLock { $0.isFull = outcome == .full }
        if outcome == .full { retryLater() }
        return outcome == .taken
    }

    /// Sets the one alarm for the next try, unless it is set: other turns try again, too.
    private func retryLater() {
        let now = clock.now
        let due = now.adding(microseconds: Self.retryDelay)
        if let set = alarm.due, now < set, set <= due { return }
        alarm.set(due) { [weak turns] in turns?.wake() }
    }

    /// The daemon is stopping, and a reactor has not taken what it was given.
    private func takeBack(_ item: OwedElement) {
        log.noteReturned(item.element)
        waiting.append(item)
    }
}
