internal import Rx
public import RxJSON
public import RxPlatform
public import RxStreams
public import RxTime

/// The source of `every`, `calendar`, `cron`, and `at`: one element for each slot.
///
/// The element is `{"scheduled","local","fired","missed"}`, its time is when the slot was due (its instant and the
/// jitter), and its position is the slot's instant in microseconds since 1970. After each element the source waits for
/// `settled`; slots that come due meanwhile are missed ones. After the last slot it finishes; if it has none to begin
/// with, it reports the reason first.
public final class SlotSource: StreamSource {
    /// A slot that is to come.
    public struct Upcoming: Hashable, Sendable {
        /// The instant of the slot.
        public let scheduled: Instant
        /// When it will be emitted: the jitter later.
        public let due: Instant
        /// The position of its element.
        public let position: RawJSON
    }

    private struct State {
        var plan: SlotPlan?
        var zone: TimeZoneRules
        /// The alarm for the next slot.
        var alarm: Alarm?
        /// The alarm for a turn as soon as possible.
        var soon: Alarm?
        var clockObserver: ClockObserver?
        var zoneObserver: ClockObserver?
        var origin: RawJSON?
        var hasEmitted = false
        var hasFinished = false
        var isReportingAhead = false
    }

    private enum Step {
        case emit(SourceElement)
        case finish(reason: String?)
        case report(String?)
    }

    private let definition: SlotDefinition
    private let clock: any AlarmClock
    private let queue: WorkQueue
    private let gate = ReceiverGate()
    private let state: Locked<State>

    /// A source that calls its receiver on `queue`, which must be serial.
    public init(_ definition: SlotDefinition, clock: any AlarmClock, queue: WorkQueue) {
        self.definition = definition
        self.clock = clock
        self.queue = queue
        state = Locked(State(zone: definition.zone.rules))
    }

    // MARK: What is to come

    /// The next slot; nil before the start, after the end, and if there is none. Any thread.
    public var upcoming: Upcoming? { upcoming(1).first }

    /// The next slots, at most `count`. Any thread.
    public func upcoming(_ count: Int) -> [Upcoming] {
        let now = clock.now
        return state.withLock { state in
            guard let plan = state.plan, !state.hasFinished else { return [] }
            return plan.upcoming(count, at: now).map {
                Upcoming(scheduled: $0, due: plan.due($0), position: SlotPosition.json($0))
            }
        }
    }

    /// What the source would emit if there were a slot now. Any thread.
    public var elementOfNow: RawJSON { SlotElement.ofNow(clock.now, in: state.withLock { $0.zone }).json }

    /// The position of a first start: the present. Whoever stores positions stores this one until the first element is
    /// settled; otherwise a slot that is missed before the first one was emitted would not be noticed. Nil if the start
    /// was not the first.
    public var origin: RawJSON? { state.withLock { $0.origin } }

    // MARK: StreamSource

    public func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        gate.open(receiver)
        let now = clock.now
        let last = position.flatMap { SlotPosition.instant($0) }
        let clockObserver = clock.observeChanges(on: queue) { [weak self] in self?.clockChanged() }
        var zoneObserver: ClockObserver?
        if case .machine(let zone) = definition.zone {
            zoneObserver = zone.observe(on: queue) { [weak self] in self?.zoneChanged() }
        }
        let jitter = definition.jitter.offset
        state.withLock { state in
            state.zone = definition.zone.rules
            state.plan = SlotPlan(
                definition.rule.schedule(in: state.zone), policy: definition.missed, window: definition.window,
                jitter: jitter, after: last, at: now)
            state.clockObserver = clockObserver
            state.zoneObserver = zoneObserver
            if last == nil { state.origin = SlotPosition.json(now.adding(microseconds: -jitter)) }
        }
        turnSoon()
    }

    public func settled(through position: RawJSON?) {
        let now = clock.now
        state.withLock { $0.plan?.settle(at: now) }
        turnSoon()
    }

    public func stop() {
        let ended = state.withLock { state in
            defer {
                state.plan = nil
                state.alarm = nil
                state.soon = nil
                state.clockObserver = nil
                state.zoneObserver = nil
            }
            return state
        }
        for alarm in [ended.alarm, ended.soon].compactMap({ $0 }) { clock.cancel(alarm) }
        if let observer = ended.clockObserver { clock.remove(observer) }
        if let observer = ended.zoneObserver, case .machine(let zone) = definition.zone { zone.remove(observer) }
        gate.close()
    }

    // MARK: On the queue

    private func clockChanged() {
        let now = clock.now
        state.withLock { $0.plan?.clockChanged(at: now) }
        turn()
    }

    private func zoneChanged() {
        // What is due by the schedule so far is still emitted.
        turn()
        let now = clock.now
        let rules = definition.zone.rules
        let schedule = definition.rule.schedule(in: rules)
        state.withLock { state in
            state.zone = rules
            state.plan?.change(to: schedule, at: now)
        }
        turn()
    }

    /// Emits what is due, and waits for what comes next.
    private func turn() {
        if case .machine(let zone) = definition.zone { zone.rereadUnlessWatched() }
        let now = clock.now
        let steps = state.withLock { next(&$0, at: now) }
        for step in steps {
            switch step {
            case .emit(let element): gate.call { $0.receive([element]) }
            case .report(let reason): gate.call { $0.report(waiting: reason) }
            case .finish(let reason):
                gate.call { receiver in
                    if let reason { receiver.report(waiting: reason) }
                    receiver.finish()
                }
            }
        }
        let wakeUp = state.withLock { $0.hasFinished ? nil : $0.plan?.wakeUp }
        if let wakeUp { wake(at: wakeUp) }
    }

    private func next(_ state: inout State, at now: Instant) -> [Step] {
        guard var plan = state.plan, !state.hasFinished else { return [] }
        defer { if state.plan != nil { state.plan = plan } }
        var steps: [Step] = []
        let isAhead = plan.isAhead(at: now)
        if isAhead != state.isReportingAhead {
            state.isReportingAhead = isAhead
            steps.append(.report(isAhead ? "the clock was set back before the last slot" : nil))
        }
        if let emission = plan.take(at: now) {
            state.hasEmitted = true
            steps.append(.emit(element(emission, plan, zone: state.zone, at: now)))
        } else if plan.isOver {
            state.hasFinished = true
            steps.append(.finish(reason: state.hasEmitted ? nil : definition.rule.hasPassed))
        }
        return steps
    }

    private func element(_ emission: SlotPlan.Emission, _ plan: SlotPlan, zone: TimeZoneRules, at now: Instant)
        -> SourceElement
    {
        SourceElement(
            value: SlotElement(scheduled: emission.slot, zone: zone, fired: now, missed: emission.missed).json,
            time: plan.due(emission.slot), position: SlotPosition.json(emission.slot), scheduled: emission.slot)
    }

    /// Has `turn` called as soon as possible. Any thread: that turn may have set the next alarm before this returns, so
    /// the two are kept apart.
    private func turnSoon() {
        let alarm = clock.schedule(at: .beginning, on: queue) { [weak self] in self?.turn() }
        keep(alarm, \.soon)
    }

    /// Has `turn` called at an instant instead of the one before. On the queue.
    private func wake(at instant: Instant) {
        let alarm = clock.schedule(at: instant, on: queue) { [weak self] in self?.turn() }
        keep(alarm, \.alarm)
    }

    /// Keeps an alarm instead of the one before.
    private func keep(_ alarm: Alarm, _ place: WritableKeyPath<State, Alarm?>) {
        let unused = state.withLock { state -> Alarm? in
            // Stopped meanwhile.
            guard state.plan != nil else { return alarm }
            defer { state[keyPath: place] = alarm }
            return state[keyPath: place]
        }
        if let unused { clock.cancel(unused) }
    }
}
