internal import Rx
internal import RxAction
internal import RxHost
package import RxJSON
package import RxRecords
internal import RxSources
internal import RxStore
package import RxStreams
package import RxTime

/// A stream in a daemon. It composes what the stream consists of, and decides what happens in a turn.
///
/// What arrives waits in `StreamTurns`, `OpenSources` opens the sources, `RunningStream` has the steps, `StreamOutput`
/// the channels, and each `LiveBinding` is an `on`. `StreamStorage` is what survives a restart; `StreamCommits` decides
/// when it is stored, and when the sources go on.
// Unchecked: what is not constant belongs to the stream's turn.
package final class LiveStream: @unchecked Sendable {
    /// How long a stream waits for elements of its sources before what was due while the daemon was down is done: they
    /// may be older.
    private static let settlingTime: Int64 = 100_000

    package let definition: StreamDefinition
    package var name: String { definition.name }
    /// When its figures began.
    let since: Instant
    let bindings: [LiveBinding]
    let output: StreamOutput
    private let clock: any AlarmClock
    /// Who is charged with what clients send.
    private let memory: UserMemoryTable
    private let turns: StreamTurns
    private let control: StreamControl
    private let storage: StreamStorage
    private let running: RunningStream
    private let sources: OpenSources
    private let alarm: StreamAlarm
    private let commits: StreamCommits
    private let steps: StreamSteps
    /// Where other streams store what they pass to this one.
    let handoffOwners: [String]
    /// Rows of an earlier definition.
    private let obsolete: [StreamRow]
    /// Whether the elements are a current value: then the stream goes on while an `on` waits, which gets the newest.
    let isLevel: Bool
    /// To be called when the stream has begun, or has stopped before.
    private let whenBegun = Locked<(@Sendable () -> Void)?>(nil)
    private var phase = Phase.new
    /// Whether its steps have begun: they do when it is enabled first.
    private var hasBegun = false
    /// Whether its clock goes on where that of an earlier run was.
    private let continues: Bool
    /// Whether what is processed is a current value that was current before the stream began.
    private var isReplaying = false
    private var earliestAlarm = Instant.beginning
    /// The turn under way.
    private var turn: StreamTurn?
    /// The most elements that are taken at once: programs evaluate them together, in vain for those put back.
    private var mostTaken = StreamLimits.elementsPerTurn

    /// As of the last turn.
    private enum Phase {
        case new
        case enabled
        case disabled
        /// It has ended itself, in this run or an earlier one.
        case ended
        case stopped
    }

    /// - Parameter stored: returns what an earlier run of an owner has stored: of the stream, or of an `on`.
    init(
        _ definition: StreamDefinition, bindings: [BindingDefinition], condition: EnabledCondition? = nil,
        levels: StreamLevels, handing: HandingStreams, services: StreamServices,
        stored: (String) -> [String: RawJSON]
    ) {
        self.definition = definition
        clock = services.clock
        memory = services.host.memory
        since = services.clock.now
        let turns = StreamTurns(services)
        let level = levels.kind(of: definition.name)
        isLevel = level != .none
        let storage = StreamStorage(
            definition, stored: stored(definition.name), handing: handing, in: services.host.store)
        let output = StreamOutput(definition.name, level, storesHandoffs: storage.owes, services, turns: turns)
        let firingWrites = FiringWrites(turns)
        let own = OwnExecutions(bindings.actions, of: definition.name, services.host)
        let running = RunningStream(
            definition, startingAt: storage.time ?? services.clock.now,
            state: StreamState(isKept: storage.keepsState, stored: storage.values), evaluator: services.evaluator,
            environment: HostEnvironment(services, turns: turns, output: output))
        steps = StreamSteps(definition, running.context, turns)
        var obsolete: [StreamRow] = []
        var handoffs: [Int: StreamHandoff] = [:]
        for (index, port) in running.context.ports.enumerated()
        where port.isOfSource && handing.handsOff(port.source) {
            let handoff = services.handoffs.handoff(
                definition.name, port.place, at: services.clock.now, stored)
            if storage.startsOver { obsolete += handoff.forget() }
            handoffs[index] = handoff
        }
        handoffOwners = handoffs.values.map(\.owner)
        let sources = OpenSources(
            running.context, levels, own: own, services: services, turns: turns, output: output, storage: storage,
            handoffs: handoffs)
        control = StreamControl(definition.name, condition: condition, services: services, turns: turns)
        alarm = StreamAlarm(services)
        let live = bindings.map { binding in
            let owner = FiringLog.owner(definition.name, binding.target)
            let isObsolete: (String) -> Bool =
                if storage.startsOver {
                    { !$0.hasPrefix(FiringHistory.prefix) }
                } else {
                    { !storage.owes && OwedFirings.isRow($0) }
                }
            var rows = stored(owner)
            for name in rows.keys.filter(isObsolete) {
                obsolete.append(StreamRow(stream: owner, name: name, value: nil))
                rows[name] = nil
            }
            let log = FiringLog(
                owner, binding.target, level, stored: rows, host: services.host, output: output, storage: storage,
                writes: firingWrites)
            return LiveBinding(
                binding, log, level, owing: storage.owes ? OwedFirings.restore(owner, stored: rows) : nil, own: own,
                // Others do not wait for one that is paused.
                holds: level == .none && bindings.count == 1 && definition.source.canWait(handing), services: services,
                turns: turns, output: output)
        }
        commits = StreamCommits(running.context, live, firingWrites, turns, sources, output, storage)
        self.obsolete = obsolete
        continues = storage.time != nil
        (self.turns, self.output, self.storage) = (turns, output, storage)
        (self.running, self.sources, self.bindings) = (running, sources, live)
        output.note(steps.figures, due: nil)
        turns.begin { [weak self] in self?.takeTurn() ?? false }
    }

    // MARK: Life, on any thread

    /// Begins to keep what the condition depends on. Before `begin`.
    func startCondition() { control.startCondition() }

    /// Has what it reads of other streams kept for it, unless it is disabled or has ended. Before any of them begins.
    func connect() {
        if control.mayRun, !storage.hasEnded { sources.connectHandoffs() }
    }

    /// Starts the stream: its steps, then its sources. Once.
    ///
    /// - Parameter completion: called once, on any thread, when the sources have started, or the stream has stopped.
    func begin(_ completion: @escaping @Sendable () -> Void = {}) {
        whenBegun.withLock { $0 = completion }
        let isGoingTo = turns.perform { [self] in
            start()
            noteBegun()
        }
        if !isGoingTo { noteBegun() }
    }

    private func noteBegun() {
        let completion = whenBegun.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?()
    }

    /// Stops the sources and the steps. What has not been processed is dropped; sources with a position emit it again.
    func stop(_ completion: @escaping @Sendable () -> Void = {}) { control.stop(completion) }

    /// Why it is disabled, in a sentence without a period; nil if it is enabled.
    package var disabledReason: String? { control.disabledReason }

    /// Whether it has ended itself, in this run or an earlier one.
    var hasEnded: Bool { output.figures.hasEnded }

    /// Reads its switch again, once others can find the stream to set it.
    func refreshSwitch() { control.refreshSwitch() }

    /// Switches the stream off, or on again with nil, which also has every `on` that was paused for a loop continue.
    package func set(_ manual: ManualSwitch?) {
        if manual == nil { for binding in bindings { binding.resume() } }
        control.set(manual)
    }

    /// Has the source emit an element of the caller's, as `fire` and `send` do. The user is charged with it as long as
    /// it, or what came of it, waits anywhere in the stream or at an `on`.
    package func inject(_ value: RawJSON, causes: Causes) {
        var element = StreamElement(value: value, time: clock.now, origin: ElementOrigin(causes: causes.stored))
        element.charge = causes.origin.uid.map { memory[$0].charge(element.size) }
        let lost = turns.receive(unpaced: [element], port: 0)
        if lost > 0 { output.lose(lost, step: "0") }
    }

    /// What `fire` emits without an element: that of a slot now if the source is a schedule. It claims no slot.
    package var elementOfNow: RawJSON {
        if let element = sources.elementOfNow { return element }
        let now: JSONValue = ["fired": .string(TimeText.utc(clock.now))]
        return RawJSON(now)
    }

    /// Has each element that leaves a step passed on; see `HostedStream.tap`.
    func tap(_ place: String, _ body: (@Sendable (RawJSON, Int64) -> Void)?) { steps.tap(place, body) }

    /// The present, by its clock.
    var now: Instant { clock.now }

    /// The next times of its schedule.
    package func upcoming(_ count: Int) -> [Instant] { sources.upcoming(count) }

    /// What the stream has done and why it waits.
    package var status: StreamStatus {
        let figures = output.figures
        let state: StreamStatus.State
        if figures.hasEnded {
            state = .ended
        } else if let reason = disabledReason {
            state = .disabled(reason)
        } else if let reason = sources.waiting ?? bindings.lazy.compactMap(\.obstacle).first ?? fullReader {
            state = .waiting(reason)
        } else {
            state = .running
        }
        return StreamStatus(
            state: state, taken: figures.taken, emitted: figures.emitted, failures: figures.failures,
            lost: figures.lost, coalesced: figures.coalesced, steps: figures.steps, next: upcoming(1).first,
            due: figures.due,
            firings: bindings.flatMap(\.firings).sorted { $0.time < $1.time },
            counts: bindings.reduce(into: [:]) { $0.merge($1.counts, uniquingKeysWith: +) })
    }

    private var fullReader: String? {
        output.handoffs.first(where: \.isFull).map { "too much waits at the stream \($0.reader), which reads it" }
    }

    /// Everything that is stored of it and its `on`s, for a successor. After `stop`.
    var kept: [StreamRow] { storage.kept + bindings.flatMap(\.allRows) }

    // MARK: Beginning and end, in the stream's turn

    private func start() {
        sources.forget(storage.obsoletePlaces)
        storage.begin(obsolete)
        for binding in bindings { binding.begin() }
        // The next turn evaluates the condition.
        defer { turns.wake() }
        guard !storage.hasEnded else {
            phase = .ended
            output.noteEnd()
            return
        }
        running.context.clock.mayGoOn = { [weak self] in self?.turn?.mayGoOn() ?? true }
        phase = .disabled
        if disabledReason == nil { enable(isResumed: false) }
    }

    /// Begins the steps, unless they have begun, and opens the sources.
    private func enable(isResumed: Bool) {
        phase = .enabled
        if !hasBegun { beginSteps() }
        // The steps may have ended the stream at once.
        if phase == .enabled { sources.open(isResumed: isResumed) }
    }

    private func beginSteps() {
        hasBegun = true
        // It may have been disabled until now; nothing is due yet.
        if !continues { running.advance(to: clock.now) }
        running.begin { [weak self] in
            self?.emit($0)
        } end: { [weak self] in
            self?.finish()
        }
        earliestAlarm = clock.now.adding(microseconds: Self.settlingTime)
    }

    private func finish() {
        phase = .ended
        output.noteEnd()
        sources.close()
    }

    private func halt() {
        if phase != .new { commits.commitUnfinished(hasEnded: phase == .ended) }
        phase = .stopped
        control.end()
        sources.close()
        alarm.cancel()
        commits.storeFirings()
        for binding in bindings { binding.end() }
        output.reportLastDrops()
        running.stop()
        turns.stop()
        noteBegun()
    }

    private func obeySwitches() {
        switch (phase, disabledReason == nil) {
        case (.enabled, false):
            phase = .disabled
            sources.close()
            alarm.cancel()
            turns.dropElements()
            storage.store(bindings.flatMap { $0.dropWaiting() } + sources.closeHandoffs())
        case (.disabled, true):
            enable(isResumed: control.takeWasDisabled())
        case (.disabled, false):
            if !control.mayRun { storage.store(sources.suspendHandoffs()) }
        case (.enabled, true), (.new, _), (.ended, _), (.stopped, _): break
        }
    }

    // MARK: A turn

    /// - Returns: whether what is left in the inbox can be taken at once.
    private func takeTurn() -> Bool {
        turn = StreamTurn.current
        defer { turn = nil }
        if phase != .new, phase != .stopped { control.evaluate() }
        if let whenStopped = control.takeStop() {
            halt()
            whenStopped()
        }
        guard phase != .stopped else { return false }
        obeySwitches()
        processInbox()
        return !isHeld
    }

    /// Whether the stream waits for an `on`, or for a stream that reads it.
    private var isHeld: Bool {
        !isLevel && fires && (bindings.contains(where: \.isWaiting) || output.handoffs.contains(where: \.isFull))
    }

    /// Whether what waits at an `on` is fired.
    private var fires: Bool {
        switch phase {
        case .enabled: true
        // Of a stream that has ended, firings may be left.
        case .ended: disabledReason == nil
        case .new, .disabled, .stopped: false
        }
    }

    private func processInbox() {
        if fires { for binding in bindings { binding.retry() } }
        takeItems()
        if phase != .new { commits.commit(hasEnded: phase == .ended, fires: fires) }
        commits.storeFirings(dueAt: clock.now)
        turns.note(waiting: bindings.reduce(InboxSize()) { $0 + $1.waitingSize })
        commits.settle()
        setAlarm()
        if phase == .enabled, running.isBehind { turns.wake() }
        output.note(steps.figures, due: phase == .enabled && steps.mayBeDue ? running.next : nil)
        output.reportDrops()
    }

    /// Processes at least one item, unless what is due before takes the whole turn.
    private func takeItems() {
        guard phase != .enabled || running.goOn() else { return }
        var taken = 0
        var isOver = false
        while taken < StreamLimits.elementsPerTurn, !isOver, !isHeld,
            let item = turns.takeFirst(atMost: min(mostTaken, StreamLimits.elementsPerTurn - taken))
        {
            taken += process(item)
            isOver = turn?.isOver ?? false
        }
        mostTaken = isOver ? min(max(1, 2 * taken), StreamLimits.elementsPerTurn) : StreamLimits.elementsPerTurn
    }

    /// - Returns: how many elements it had that were processed; the others are put back.
    private func process(_ item: Inbox.Item) -> Int {
        switch item {
        case .elements(let elements, let port, let isPaced):
            // A stream that is disabled may have some that another stream emitted before it was disconnected.
            guard phase != .disabled else { return elements.count }
            let count = process(elements, from: port)
            if count < elements.count {
                turns.putBack(.elements(Array(elements[count...]), port: port, isPaced: isPaced))
            }
            return count
        case .level(let element, _, let port, let isReplay):
            guard phase != .disabled else { return 1 }
            isReplaying = isReplay
            defer { isReplaying = false }
            let count = process([element], from: port)
            if count == 0 { turns.putBack(item) }
            return count
        case .end(let port):
            running.context.ports[port].finish()
            return 1
        case .work(let body):
            body()
            return 1
        }
    }

    /// - Returns: how many were processed.
    private func process(_ elements: [StreamElement], from port: Int) -> Int {
        let now = clock.now
        let count = running.process(
            elements.map { element in
                var element = element
                element.time = min(element.time, now)
                return element
            }, from: running.context.ports[port])
        sources.note(elements.prefix(count), from: port, at: now)
        output.note(taken: count)
        return count
    }

    private func emit(_ element: StreamElement) {
        output.emit(element, shown: shown(element), isReplay: isReplaying)
        for binding in bindings { binding.take(element, isReplay: isReplaying, fires: fires) }
    }

    /// An element without what it gives to an `on` whose target marks it `writeOnly`.
    private func shown(_ element: StreamElement) -> RawJSON {
        bindings.reduce(element.value) { $1.redacting($0, of: element) }
    }

    private func setAlarm() {
        guard phase == .enabled, let next = running.next else { return alarm.cancel() }
        alarm.set(max(next, earliestAlarm)) { [weak self, turns] in
            turns.perform { [weak self] in self?.ring() }
        }
    }

    private func ring() {
        alarm.clear()
        if phase == .enabled { running.advance(to: clock.now) }
    }
}

extension [BindingDefinition] {
    /// The names of the actions.
    fileprivate var actions: Set<String> {
        Set(compactMap { if case .action(let name) = $0.target { name } else { nil } })
    }
}

extension SourceDefinition {
    /// Whether all that it consists of can wait.
    fileprivate func canWait(_ handing: HandingStreams) -> Bool {
        leaves.allSatisfy { leaf in
            guard case .external(let source) = leaf else { return handing.handsOff(leaf) }
            return SourceTable.named(source.kind)?.canWait ?? false
        }
    }
}
