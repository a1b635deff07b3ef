internal import RxStore
internal import Rx
internal import RxAction
package import RxHost
package import RxJSON
package import RxRecords
package import RxSources
package import RxStreams
package import RxTime

/// A stream in a daemon: its sources, its inbox, its turns, and what it gives its elements to.
// Unchecked: what is not locked or constant belongs to the stream's turn.
package final class LiveStream: TurnTaker, @unchecked Sendable {
    /// How long a stream waits for elements of its sources before what was due while the daemon was down is done: they
    /// may be older.
    private static let settlingTime: Int64 = 100_000

    /// A slot that is fired later than this came due while the daemon was down, suspended, or stalled.
    private static let lateness: Int64 = 1_000_000

    package let definition: StreamDefinition
    package var name: String { definition.name }
    /// When its figures began.
    let since: Instant
    private let services: StreamServices
    private let running: RunningStream
    private let rows: StreamRows
    private let opened = Locked<[LiveSource]>([])
    private(set) var bindings: [LiveBinding] = []
    private let inbox = Locked(Queue())
    private let figures = Locked(StreamFigures())
    private let readers = Locked<[Int: Reader]>([:])
    private let control: Locked<Control>
    /// The condition for running, if there is one.
    private(set) var condition: LiveCondition?
    /// Whether it has begun, is disabled, and has stopped, as of its last turn.
    private var (hasBegun, isDisabled, hasStopped) = (false, false, false)
    /// Whether each turn's changes of state are stored.
    private let keepsState: Bool
    private var alarm: (due: Instant, alarm: Alarm)?
    private var earliestAlarm = Instant.beginning
    /// Whether the last element was a slot that came due while the daemon could not fire it.
    private var isBehind = false

    private struct Queue {
        var inbox = Inbox()
        /// Whether a turn is under way or is going to be.
        var isBusy = false
        /// Whether another turn has to follow the one under way: turns of one stream never overlap.
        var isWanted = false
        var isStopped = false
        var nextReader = 0
    }

    /// What takes effect at the beginning of a turn, before anything that waits.
    private struct Control {
        var switches: StreamSwitches
        var whenStopped: (@Sendable () -> Void)?
    }

    /// Another stream, or a client, that receives the elements.
    struct Reader: Sendable {
        let channel: StreamChannel
        let body: @Sendable (StreamElement) -> Void
    }

    init(
        _ definition: StreamDefinition, bindings: [BindingDefinition], condition: EnabledCondition? = nil,
        services: StreamServices, stored: (String) -> [String: RawJSON]
    ) {
        control = Locked(
            Control(
                switches: StreamSwitches(
                    manual: services.host.manualSwitch(ofStream: definition.name), hasCondition: condition != nil)))
        self.definition = definition
        self.services = services
        since = services.clock.now
        rows = StreamRows(definition, stored: stored(definition.name))
        keepsState = definition.isPersistent
        let environment = HostEnvironment(services)
        running = RunningStream(
            definition, startingAt: rows.time ?? services.clock.now,
            state: StreamState(isKept: definition.isPersistent, stored: rows.values), evaluator: services.evaluator,
            environment: environment)
        environment.stream = self
        self.condition = condition.map { condition in
            LiveCondition(condition, services: services) { [weak self] in self?.wake() }
        }
        self.bindings = bindings.map { binding in
            LiveBinding(
                binding, of: self, host: services.host, evaluator: services.evaluator,
                stored: stored(LiveBinding.owner(definition.name, binding)))
        }
    }

    // MARK: Life

    /// Starts the stream: its steps, then its sources. Any thread; once.
    func begin() {
        perform { [self] in
            store(rows.begin())
            guard !rows.hasEnded else {
                figures.withLock { $0.hasEnded = true }
                return
            }
            running.begin { [weak self] in
                self?.emit($0)
            } end: { [weak self] in
                self?.finish()
            }
            hasBegun = true
            // Evaluates the condition.
            if condition != nil { wake() }
            isDisabled = disabledReason != nil
            if !isDisabled { openSources(isResumed: false) }
            earliestAlarm = services.clock.now.adding(microseconds: Self.settlingTime)
        }
    }

    /// - Parameter isResumed: whether the stream was disabled: then no slots are owed.
    private func openSources(isResumed: Bool) {
        var sources: [LiveSource] = []
        for (index, port) in running.context.ports.enumerated() {
            switch port.source {
            case .external(let external):
                guard
                    let source = services.opener.open(
                        external, of: name, place: port.place, isKept: keepsPositions(external))
                else {
                    services.noteWaiting(name, "its source \(external.kind) cannot be opened; check its value")
                    continue
                }
                let live = LiveSource(self, port: index, source, SourceTable.named(external.kind))
                sources.append(live)
            case .stream(let other, let channel):
                let reader = services.connect(other, channel) { [weak self] element in
                    self?.receive([element], from: index)
                }
                disposables.append(reader)
            case .merge, .combineLatest, .zip: break
            }
        }
        opened.withLock { $0 = sources }
        for source in sources {
            let port = running.context.ports[source.port]
            guard case .external(let external) = port.source, keepsPositions(external) else {
                source.start(after: nil)
                continue
            }
            let isOwed = !isResumed || !Self.schedules.contains(external.kind)
            source.start(after: isOwed ? rows.position(port.place) : nil)
            if let origin = source.source.origin { store(rows.note(position: origin, of: port.place)) }
        }
    }

    /// Whether the position of a source survives a restart: always that of a schedule.
    private func keepsPositions(_ source: ExternalSource) -> Bool {
        keepsState || Self.schedules.contains(source.kind)
    }

    private static let schedules: Set = ["every", "calendar", "cron", "at"]

    private var sources: [LiveSource] { opened.withLock { $0 } }

    private var disposables: [any Disposable] = []

    /// Stops the sources and the steps. What has not been processed is dropped; sources with a position emit it again.
    func stop(_ completion: @escaping @Sendable () -> Void = {}) {
        control.withLock { $0.whenStopped = completion }
        wake()
    }

    private func halt() {
        hasStopped = true
        inbox.withLock { $0.isStopped = true }
        condition?.stop()
        closeSources()
        storeTurn()
        store(bindings.flatMap { $0.takeRows() })
        running.stop()
    }

    private func closeSources() {
        for disposable in disposables { disposable.dispose() }
        disposables = []
        if let alarm { services.clock.cancel(alarm.alarm) }
        alarm = nil
        for source in sources { source.stop() }
    }

    // MARK: Switches

    /// Why it is disabled, in a sentence without a period; nil if it is enabled. Any thread.
    package var disabledReason: String? { control.withLock { $0.switches.reason } }

    /// Switches the stream off, or on again with nil, which also has every `on` that was paused for a loop continue.
    /// Any thread.
    package func set(_ manual: ManualSwitch?) {
        control.withLock { control in
            control.switches.manual = manual
            control.switches.noteReason()
        }
        if manual == nil { resume() } else { wake() }
    }

    private func evaluateCondition() {
        guard hasBegun, let condition, control.withLock({ $0.whenStopped == nil }) else { return }
        let unmet: String?
        switch condition.evaluate() {
        case .unchanged: return
        case .holds: unmet = nil
        case .fails(let reason): unmet = reason
        }
        control.withLock { control in
            control.switches.isUndecided = false
            control.switches.unmet = unmet
            control.switches.noteReason()
        }
    }

    /// - Returns: whether the stream goes on.
    private func takeControl() -> Bool {
        evaluateCondition()
        let (whenStopped, disables) = control.withLock { control in
            defer { control.whenStopped = nil }
            return (control.whenStopped, control.switches.reason != nil)
        }
        if let whenStopped {
            halt()
            whenStopped()
        }
        guard !hasStopped else { return false }
        guard hasBegun, disables != isDisabled, !running.hasEnded else { return true }
        isDisabled = disables
        if disables {
            closeSources()
            opened.withLock { $0 = [] }
            inbox.withLock { $0.inbox.dropElements() }
            for binding in bindings { binding.dropWaiting() }
        } else {
            openSources(isResumed: control.withLock { $0.switches.takeWasDisabled() })
        }
        return true
    }

    private func finish() {
        figures.withLock { $0.hasEnded = true }
        for source in sources { source.stop() }
        store(rows.end(isKept: keepsState))
    }

    /// Whether what must happen exactly once is claimed: the source is a schedule, or the host's own log.
    var claims: Bool {
        guard case .external(let source) = definition.source else { return false }
        return Self.schedules.contains(source.kind) || (source.kind == "action" && keepsState)
    }

    /// Whether slots that came due while the daemon was down are fired one after the other, and one is at present.
    var firesAllMissed: Bool {
        guard isBehind, case .external(let source) = definition.source else { return false }
        return source.text("missed") == "all"
    }

    // MARK: Arrival, on any thread

    func receive(_ elements: [StreamElement], from source: LiveSource) {
        guard source.canWait else { return receive(elements, from: source.port) }
        inbox.withLock { if !$0.isStopped { $0.inbox.append(.elements(elements, port: source.port)) } }
    }

    /// Elements of a source that cannot wait.
    private func receive(_ elements: [StreamElement], from port: Int) {
        let lost = inbox.withLock { queue in queue.isStopped ? 0 : queue.inbox.append(unpaced: elements, port: port) }
        if lost > 0 { lose(lost, step: "0") }
        wake()
    }

    func end(of source: LiveSource) { add(.end(port: source.port)) }

    /// Runs `body` in a turn of the stream.
    func perform(_ body: @escaping @Sendable () -> Void) { add(.work(body)) }

    private func add(_ item: Inbox.Item) {
        inbox.withLock { if !$0.isStopped { $0.inbox.append(item) } }
        wake()
    }

    /// Has the stream take a turn.
    func wake() {
        let isNew = inbox.withLock { queue in
            queue.isWanted = queue.isBusy
            defer { queue.isBusy = true }
            return !queue.isBusy
        }
        if isNew { services.executor.schedule(self) }
    }

    func retryLater(after microseconds: Int) {
        services.clock.schedule(
            at: services.clock.now.adding(microseconds: Int64(microseconds)), on: services.queue
        ) { [weak self] in self?.wake() }
    }

    // MARK: A turn

    /// Processes what has arrived.
    ///
    /// - Returns: whether there is more to do.
    func takeTurn() -> Bool {
        inbox.withLock { $0.isWanted = false }
        if takeControl() { processInbox() }
        return inbox.withLock { queue in
            let isDue = !queue.isStopped && !queue.inbox.isEmpty && !bindings.contains(where: \.isWaiting)
            queue.isBusy = isDue || queue.isWanted
            return queue.isBusy
        }
    }

    private func processInbox() {
        var left = StreamLimits.elementsPerTurn
        for binding in bindings where binding.isWaiting { binding.retry() }
        while left > 0, !bindings.contains(where: \.isWaiting) {
            guard let item = inbox.withLock({ $0.inbox.takeFirst(atMost: left) }) else { break }
            left -= process(item)
        }
        storeTurn()
        settle()
        setAlarm()
        figures.withLock { $0.steps = steps }
    }

    /// - Returns: how many elements it had.
    private func process(_ item: Inbox.Item) -> Int {
        switch item {
        case .elements(let elements, let port):
            // Such as those that another stream emitted before it was disconnected.
            if isDisabled {
                inbox.withLock { $0.inbox.noteTaken(unpaced: elements) }
                return elements.count
            }
            let isPaced = sources.first { $0.port == port }?.canWait ?? false
            if !isPaced { inbox.withLock { $0.inbox.noteTaken(unpaced: elements) } }
            let now = services.clock.now
            isBehind = elements.last?.origin?.scheduled.map { $0.adding(microseconds: Self.lateness) < now } ?? false
            figures.withLock { $0.taken += elements.count }
            running.process(
                elements.map { element in
                    var element = element
                    element.time = min(element.time, now)
                    return element
                }, from: running.context.ports[port])
            return elements.count
        case .end(let port):
            running.context.ports[port].finish()
            return 1
        case .work(let body):
            body()
            return 1
        }
    }

    /// Once everything that a source has emitted has taken effect, the source goes on.
    private func settle() {
        let hasItems = inbox.withLock { !$0.inbox.isEmpty }
        guard !hasItems, running.context.held == 0, !bindings.contains(where: { $0.isWaiting || $0.hasUnaccepted })
        else { return }
        for source in sources where source.canWait {
            guard case .some(let position) = source.unsettled else { continue }
            if source.waitsForEnd, bindings.contains(where: \.hasInFlight) { continue }
            let port = running.context.ports[source.port]
            if let position, case .external(let external) = port.source, keepsPositions(external) {
                store(rows.note(position: position, of: port.place))
            }
            source.settle()
        }
    }

    private func setAlarm() {
        guard !isDisabled, let next = running.next else {
            if let alarm { services.clock.cancel(alarm.alarm) }
            alarm = nil
            return
        }
        let due = max(next, earliestAlarm)
        if let alarm, alarm.due == due { return }
        if let alarm { services.clock.cancel(alarm.alarm) }
        let set = services.clock.schedule(at: due, on: services.queue) { [weak self] in
            self?.perform { [weak self] in self?.alarmed() }
        }
        alarm = (due, set)
    }

    private func alarmed() {
        alarm = nil
        guard !isDisabled else { return }
        running.advance(to: services.clock.now)
    }

    // MARK: Storing

    private func storeTurn() {
        var changes = rows.changes(running.context, keepsState: keepsState)
        if figures.withLock({ $0.takeFiringsDue(at: services.clock.now) }) {
            for binding in bindings { changes += binding.takeRows() }
        }
        store(changes)
    }

    func store(_ rows: [StreamRow]) {
        guard !rows.isEmpty else { return }
        services.host.store?.store(rows, isDurable: claims)
    }

    /// Everything that is stored of it and its `on`s, for a successor. After `stop`.
    var kept: [StreamRow] { rows.all + bindings.flatMap(\.allRows) }

    // MARK: Output, in the stream's turn

    private func emit(_ element: StreamElement) {
        figures.withLock { $0.emitted += 1 }
        services.publish(.element(element.value), name, element.time)
        for reader in readers.withLock({ $0 }).values where reader.channel == .elements { reader.body(element) }
        for binding in bindings { binding.take(element) }
    }

    /// Passes what a channel carries to another stream from now on.
    func connect(
        _ channel: StreamChannel, _ body: @escaping @Sendable (StreamElement) -> Void
    ) -> any Disposable {
        let number = inbox.withLock { queue in
            queue.nextReader += 1
            return queue.nextReader
        }
        readers.withLock { $0[number] = Reader(channel: channel, body: body) }
        return Disposables.create { [weak self] in self?.readers.withLock { _ = $0.removeValue(forKey: number) } }
    }

    private func pass(_ value: JSONValue, to channel: StreamChannel) {
        let readers = readers.withLock { $0.values.filter { $0.channel == channel } }
        guard !readers.isEmpty else { return }
        let element = StreamElement(value: RawJSON(value), time: services.clock.now)
        for reader in readers { reader.body(element) }
    }

    func report(_ failure: StreamFailure) {
        figures.withLock { $0.failures += 1 }
        services.publish(.failure(failure), name, services.clock.now)
        pass(failure.json, to: .errors)
    }

    func publish(_ firing: Firing) {
        services.publish(.firing(firing), name, services.clock.now)
        pass(firing.json, to: .firings)
    }

    func noteFirings() {
        let isNew = figures.withLock { $0.noteFirings() }
        // The rows of firings are written at most once in a second.
        if isNew { retryLater(after: 1_000_000) }
    }

    func lose(_ count: Int, step: String) {
        figures.withLock { $0.lost += count }
        services.publish(.lost(count, step: step), name, services.clock.now)
    }

    func note(waiting reason: String?, of source: LiveSource) { services.noteWaiting(name, reason) }

    // MARK: For readers, on any thread

    /// What the stream has done and why it waits.
    package var status: StreamStatus {
        let figures = figures.withLock { $0 }
        let waiting = opened.withLock { $0 }.compactMap(\.waiting).first
        let state: StreamStatus.State =
            if figures.hasEnded { .ended } else if let reason = disabledReason { .disabled(reason) } else if let waiting
            { .waiting(waiting) } else if let obstacle = bindings.compactMap(\.obstacle).first {
                .waiting(obstacle)
            } else { .running }
        return StreamStatus(
            state: state, taken: figures.taken, emitted: figures.emitted, failures: figures.failures,
            lost: figures.lost, steps: figures.steps, next: upcoming(1).first,
            firings: bindings.flatMap(\.firings).sorted { $0.time < $1.time },
            counts: bindings.reduce(into: [:]) { $0.merge($1.counts, uniquingKeysWith: +) })
    }

    private var steps: [StreamStatus.Step] {
        definition.steps.enumerated().map { index, step in
            let counter = running.context.counters["\(index + 1)"]
            return StreamStatus.Step(
                place: "\(index + 1)", name: step.name, emitted: counter?.emitted ?? 0, failed: counter?.failed ?? 0)
        }
    }

    /// The present, by its clock.
    var now: Instant { services.clock.now }

    /// The next times of its schedule.
    package func upcoming(_ count: Int) -> [Instant] {
        let sources = opened.withLock { $0 }
        return sources.compactMap { $0.source as? any ScheduledSource }.first?.upcomingSlots(count) ?? []
    }

    /// What `fire` emits without an element.
    package var elementOfNow: RawJSON {
        let now: JSONValue = ["fired": .string(TimeText.utc(services.clock.now))]
        return RawJSON(now)
    }

    /// Has the source emit an element of the caller's, as `fire` and `send` do.
    package func inject(_ value: RawJSON, causes: Causes) {
        let element = StreamElement(
            value: value, time: services.clock.now, origin: ElementOrigin(causes: causes.stored))
        receive([element], from: 0)
    }

    /// Has every `on` that was paused for a loop go on.
    private func resume() {
        for binding in bindings { binding.resume() }
        wake()
    }
}

/// A source that can state when it emits next.
package protocol ScheduledSource: AnyObject, Sendable {
    /// The next times, at most `count`.
    func upcomingSlots(_ count: Int) -> [Instant]
}
