import RxJSON
import RxPlatform
import RxStreams
import RxTime
import Synchronization
import Testing

@testable import RxSources

@Suite("A source of slots")
struct SlotSourceTests {
    private func run(
        _ rule: SlotRule, _ zoneName: String = "UTC", from start: String, after position: String? = nil,
        missed: MissedPolicy = .once, window: Duration = .seconds(86_400), jitter: Jitter? = nil, settles: Bool = true
    ) throws -> SlotRun {
        var definition = SlotDefinition(
            rule, zone: .named(try zone(zoneName)), missed: missed, window: window.wholeMicroseconds)
        if let jitter { definition.jitter = jitter }
        return SlotRun(
            definition, clock: SimulatedAlarmClock(at: try at(start)), after: try position.map { try at($0) },
            settles: settles)
    }

    // MARK: Elements

    @Test("emits an element with the slot, when it fired, and its position")
    func element() throws {
        let run = try run(.calendar("08:00"), "Europe/Berlin", from: "2026-03-28T00:00:00Z")
        run.clock.advance(by: .seconds(86_400))
        let element = try #require(run.receiver.elements.first)
        #expect(
            element.value.text
                == #"{"scheduled":"2026-03-28T07:00:00.000Z","local":"2026-03-28T08:00:00+01:00","#
                + #""fired":"2026-03-28T07:00:00.000Z","missed":0}"#)
        #expect(element.time == (try at("2026-03-28T07:00:00Z")))
        #expect(element.position?.text == "1774681200000000")
        #expect(run.receiver.elements.count == 1)
    }

    @Test("has an element of now that is on the clock of its zone, before and after the start")
    func elementOfNow() throws {
        let run = try run(.calendar("08:00"), "Europe/Berlin", from: "2026-07-28T22:30:00Z")
        #expect(
            run.source.elementOfNow.text
                == #"{"scheduled":"2026-07-28T22:30:00.000Z","local":"2026-07-29T00:30:00+02:00","#
                + #""fired":"2026-07-28T22:30:00.000Z","missed":0}"#)
    }

    @Test("emits nothing within start and settled")
    func notWithin() throws {
        let run = try run(
            .every("1s"), from: "2026-01-01T00:00:00Z", after: "2025-12-31T23:59:50Z", settles: false)
        #expect(run.receiver.elements.isEmpty)
        run.clock.run()
        #expect(run.receiver.elements.count == 1)
        run.clock.advance(by: .seconds(3))
        run.settle()
        #expect(run.receiver.elements.count == 1)
        run.clock.run()
        #expect(run.receiver.elements.count == 2)
    }

    @Test("delays each element by its jitter, with the slot and the position of the slot itself")
    func jitter() throws {
        let jitter = Jitter(below: 300_000_000, machine: "m", stream: "s")
        let run = try run(.cron("0 * * * *"), from: "2026-01-01T00:30:00Z", jitter: jitter)
        let due = try at("2026-01-01T01:00:00Z").adding(microseconds: jitter.offset)
        #expect(run.source.upcoming?.due == due)
        run.clock.advance(to: due.adding(microseconds: -1))
        #expect(run.receiver.elements.isEmpty)
        run.clock.advance(to: due)
        #expect(run.receiver.elements.map(\.time) == [due])
        #expect(run.slots == ["01:00:00"])
    }

    @Test("has emitted a slot whose jitter has not passed at a first start, and thus does not miss it")
    func jitterAtStart() throws {
        let jitter = Jitter(below: 300_000_000, machine: "m", stream: "s")
        let slot = try at("2026-01-01T01:00:00Z")
        let run = SlotRun(
            SlotDefinition(try .cron("0 * * * *"), zone: .named(.utc), jitter: jitter),
            clock: SimulatedAlarmClock(at: slot.adding(microseconds: jitter.offset / 2)))
        run.clock.advance(by: .seconds(300))
        #expect(run.slots == ["01:00:00"])
    }

    @Test("shows the slots to come, and none once it has stopped")
    func upcoming() throws {
        let run = try run(.calendar("*:0/30"), from: "2026-01-01T00:10:00Z", settles: false)
        let times = run.source.upcoming(3).map(\.scheduled.text)
        #expect(times == ["2026-01-01T00:30:00.000Z", "2026-01-01T01:00:00.000Z", "2026-01-01T01:30:00.000Z"])
        #expect(run.source.upcoming?.position == SlotPosition.json(try at("2026-01-01T00:30:00Z")))
        run.clock.advance(by: .seconds(1800))
        #expect(run.source.upcoming?.scheduled == (try at("2026-01-01T01:00:00Z")))
        run.source.stop()
        #expect(run.source.upcoming == nil)
        #expect(run.clock.pending == 0)
    }

    @Test("receives nothing after stop, not even what was due")
    func stop() throws {
        let run = try run(.every("1s"), from: "2026-01-01T00:00:00Z")
        run.clock.advance(by: .seconds(2))
        run.source.stop()
        run.source.settled(through: nil)
        run.clock.advance(by: .seconds(10))
        #expect(run.slots == ["00:00:01", "00:00:02"])
        #expect(run.clock.pending == 0)
    }

    @Test("keeps the alarm of the next slot when the turn for a settled one comes before `settled` has returned")
    func hastyTurn() throws {
        let clock = HastyClock(SimulatedAlarmClock(at: try at("2026-01-01T00:00:00Z")))
        let source = SlotSource(
            SlotDefinition(try .every("1s"), zone: .named(.utc)), clock: clock, queue: clock.inner.queue)
        let receiver = RecordingReceiver()
        source.start(after: nil, into: receiver)
        for count in 1...3 {
            clock.inner.advance(by: .seconds(1))
            #expect(receiver.elements.count == count)
            source.settled(through: receiver.elements.last?.position)
        }
    }

    @Test("can be stopped by its receiver")
    func stopWithin() throws {
        let clock = SimulatedAlarmClock(at: try at("2026-01-01T00:00:00Z"))
        let source = SlotSource(SlotDefinition(try .every("1s"), zone: .named(.utc)), clock: clock, queue: clock.queue)
        let receiver = RecordingReceiver { _ in source.stop() }
        source.start(after: nil, into: receiver)
        clock.advance(by: .seconds(5))
        #expect(receiver.elements.count == 1)
    }

    // MARK: Nights of clock changes

    @Test("fires a fixed time that the spring night skips at the first instant that exists, and once in autumn")
    func fixedNights() throws {
        let spring = try run(.calendar("02:30"), "Europe/Berlin", from: "2026-03-28T12:00:00Z")
        spring.clock.advance(by: .seconds(2 * 86_400))
        #expect(spring.locals == ["2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"])
        let autumn = try run(.calendar("02:30"), "Europe/Berlin", from: "2026-10-24T12:00:00Z")
        autumn.clock.advance(by: .seconds(2 * 86_400))
        #expect(autumn.locals == ["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"])
    }

    @Test("fires an interval at every real instant of both nights")
    func intervalNights() throws {
        let spring = try run(.cron("*/30 * * * *"), "Europe/Berlin", from: "2026-03-29T00:15:00Z")
        spring.clock.advance(by: .seconds(5400))
        #expect(spring.slots == ["01:30:00", "03:00:00", "03:30:00"])
        let autumn = try run(.cron("*/30 * * * *"), "Europe/Berlin", from: "2026-10-25T00:15:00Z")
        autumn.clock.advance(by: .seconds(5400))
        #expect(autumn.locals.map { String($0.suffix(14)) } == ["02:30:00+02:00", "02:00:00+01:00", "02:30:00+01:00"])
    }

    @Test("knows changes of half an hour")
    func lordHowe() throws {
        // Back from 02:00 to 01:30 on 2026-04-05, and forward from 02:00 to 02:30 on 2026-10-04.
        let autumn = try run(.calendar("*:0/15"), "Australia/Lord_Howe", from: "2026-04-04T14:25:00Z")
        autumn.clock.advance(by: .seconds(3600))
        #expect(
            autumn.locals.map { String($0.suffix(14)) }
                == ["01:30:00+11:00", "01:45:00+11:00", "01:30:00+10:30", "01:45:00+10:30"])
        let spring = try run(.calendar("02:15"), "Australia/Lord_Howe", from: "2026-10-03T12:00:00Z")
        spring.clock.advance(by: .seconds(86_400))
        #expect(spring.locals == ["2026-10-04T02:30:00+11:00"])
    }

    @Test("fires every day at midnight of the zone, through the nights of clock changes")
    func days() throws {
        let run = try run(.every("1d"), "Europe/Berlin", from: "2026-03-27T12:00:00Z")
        run.clock.advance(by: .seconds(3 * 86_400))
        #expect(
            run.locals
                == ["2026-03-28T00:00:00+01:00", "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"])
    }

    // MARK: Missed while the daemon was down

    @Test("misses nothing on a first start, and has an origin for the next one")
    func firstStart() throws {
        let run = try run(.cron("0 * * * *"), from: "2026-01-01T10:30:00Z", missed: .all)
        run.clock.run()
        #expect(run.slots.isEmpty)
        let origin = try #require(run.source.origin)
        run.source.stop()
        let next = SlotRun(
            SlotDefinition(try .cron("0 * * * *"), zone: .named(.utc), missed: .all),
            clock: SimulatedAlarmClock(at: try at("2026-01-01T12:30:00Z")), after: SlotPosition.instant(origin))
        next.clock.run()
        #expect(next.slots == ["11:00:00", "12:00:00"])
        #expect(next.source.origin == nil)
    }

    @Test("fires none, the newest, or all of the missed slots, and counts the rest", arguments: MissedPolicy.allCases)
    func down(policy: MissedPolicy) throws {
        let run = try run(
            .cron("0 * * * *"), from: "2026-01-01T13:30:00Z", after: "2026-01-01T10:00:00Z", missed: policy)
        run.clock.run()
        switch policy {
        case .none: #expect(run.slots == [])
        case .once: #expect(run.slots == ["13:00:00 +2"])
        case .all: #expect(run.slots == ["11:00:00", "12:00:00", "13:00:00"])
        }
        run.clock.advance(by: .seconds(1800))
        #expect(run.slots.last == (policy == .none ? "14:00:00 +3" : "14:00:00"))
    }

    @Test("fires no slot that is older than the window", arguments: [MissedPolicy.once, .all])
    func window(policy: MissedPolicy) throws {
        let run = try run(
            .cron("0 */6 * * *"), from: "2026-01-03T07:00:00Z", after: "2026-01-01T00:00:00Z", missed: policy,
            window: .seconds(8 * 3600))
        run.clock.run()
        #expect(run.slots == (policy == .all ? ["00:00:00 +7", "06:00:00"] : ["06:00:00 +8"]))
        let late = try self.run(
            .cron("0 0 * * *"), from: "2026-01-03T07:00:00Z", after: "2026-01-01T00:00:00Z", missed: policy,
            window: .seconds(3600))
        late.clock.advance(to: try at("2026-01-04T00:00:00Z"))
        #expect(late.slots == ["00:00:00 +2"])
    }

    @Test("fires at most a thousand, the newest ones")
    func thousand() throws {
        let run = try run(
            .every("1s"), from: "2026-01-01T01:00:00Z", after: "2026-01-01T00:00:00Z", missed: .all)
        run.clock.run()
        #expect(run.receiver.elements.count == 1000)
        #expect(run.slots.first == "00:43:21 +2600")
        #expect(run.slots.last == "01:00:00")
        #expect(run.receiver.elements.dropFirst().allSatisfy { $0.missed == 0 })
    }

    @Test("fires missed slots one at a time, each after the one before is settled, and then the regular ones")
    func oneAtATime() throws {
        let run = try run(
            .cron("0 * * * *"), from: "2026-01-01T13:30:00Z", after: "2026-01-01T10:00:00Z", missed: .all,
            settles: false)
        run.clock.run()
        #expect(run.slots == ["11:00:00"])
        for _ in 0..<3 {
            run.clock.advance(by: .seconds(1200))
            run.settle()
            run.clock.run()
        }
        #expect(run.slots == ["11:00:00", "12:00:00", "13:00:00", "14:00:00"])
        run.settle()
        run.clock.advance(to: try at("2026-01-01T15:00:00Z"))
        #expect(run.slots.last == "15:00:00")
    }

    // MARK: Missed while it ran

    @Test("treats what came due before the last element was settled as missed", arguments: MissedPolicy.allCases)
    func busy(policy: MissedPolicy) throws {
        let run = try run(.every("10s"), from: "2026-01-01T00:00:01Z", missed: policy, settles: false)
        run.clock.advance(to: try at("2026-01-01T00:00:45Z"))
        #expect(run.slots == ["00:00:10"])
        run.settle()
        run.clock.run()
        switch policy {
        case .none:
            #expect(run.slots.count == 1)
            run.clock.advance(by: .seconds(5))
            #expect(run.slots.last == "00:00:50 +3")
        case .once: #expect(run.slots.last == "00:00:40 +2")
        case .all: #expect(run.slots.last == "00:00:20")
        }
    }

    @Test("counts what came due just before the last element was settled as missed too")
    func justBusy() throws {
        let run = try run(.every("10s"), from: "2026-01-01T00:00:01Z", missed: .none, settles: false)
        run.clock.advance(to: try at("2026-01-01T00:00:20.5Z"))
        run.settle()
        run.clock.advance(by: .seconds(1))
        #expect(run.slots == ["00:00:10"])
        run.clock.advance(by: .seconds(10))
        #expect(run.slots == ["00:00:10", "00:00:30 +1"])
    }

    @Test("takes a short suspension, or a clock that is set forward a little, for no stall", arguments: [true, false])
    func shortSuspension(isSet: Bool) throws {
        let run = try run(.calendar("03:00"), from: "2026-01-01T02:59:50Z", missed: .none)
        if isSet { run.clock.set(to: try at("2026-01-01T03:00:15Z")) } else { run.clock.suspend(for: .seconds(25)) }
        run.clock.advance(by: .seconds(60))
        #expect(run.slots == [])
    }

    @Test("does not fire what came due during a suspension as if it were on time", arguments: MissedPolicy.allCases)
    func suspended(policy: MissedPolicy) throws {
        let run = try run(.calendar("03:00"), from: "2026-01-01T02:00:00Z", missed: policy)
        run.clock.suspend(for: .seconds(5 * 3600))
        #expect(run.slots == (policy == .none ? [] : ["03:00:00"]))
        run.clock.advance(to: try at("2026-01-02T03:00:00Z"))
        #expect(run.slots.last == (policy == .none ? "03:00:00 +1" : "03:00:00"))
    }

    @Test("fires a slot that a loaded machine delays, whatever the policy, and no series of them")
    func stalled() throws {
        let late = try run(.calendar("03:00"), from: "2026-01-01T02:59:50Z", missed: .none)
        late.clock.stall(for: .seconds(15))
        #expect(late.slots == ["03:00:00"])
        #expect(late.receiver.elements.first?["fired"] == "2026-01-01T03:00:05.000Z")
        let series = try run(.every("1s"), from: "2026-01-01T00:00:00Z", missed: .none)
        series.clock.stall(for: .milliseconds(5500))
        #expect(series.slots == ["00:00:05 +4"])
        let stopped = try run(.every("10s"), from: "2026-01-01T00:00:05Z", missed: .none)
        stopped.clock.stall(for: .seconds(28))
        #expect(stopped.slots == [])
    }

    // MARK: A clock that is set

    @Test("misses what a clock that is set forward skips", arguments: MissedPolicy.allCases)
    func forward(policy: MissedPolicy) throws {
        let run = try run(.cron("0 * * * *"), from: "2026-01-01T10:30:00Z", missed: policy)
        run.clock.set(to: try at("2026-01-01T13:30:00Z"))
        switch policy {
        case .none: #expect(run.slots == [])
        case .once: #expect(run.slots == ["13:00:00 +2"])
        case .all: #expect(run.slots == ["11:00:00", "12:00:00", "13:00:00"])
        }
        run.clock.advance(to: try at("2026-01-01T14:00:00Z"))
        #expect(run.slots.last == (policy == .none ? "14:00:00 +3" : "14:00:00"))
    }

    @Test("fires no slot twice on a clock that is set back, and reports why it waits")
    func back() throws {
        let run = try run(.cron("0 * * * *"), from: "2026-01-01T10:30:00Z")
        run.clock.advance(to: try at("2026-01-01T12:30:00Z"))
        run.clock.set(to: try at("2026-01-01T10:45:00Z"))
        #expect(run.receiver.reports == ["the clock was set back before the last slot"])
        #expect(run.source.upcoming?.scheduled == (try at("2026-01-01T13:00:00Z")))
        run.clock.advance(to: try at("2026-01-01T13:30:00Z"))
        #expect(run.slots == ["11:00:00", "12:00:00", "13:00:00"])
        #expect(run.receiver.reports.last == .some(nil))
    }

    @Test("fires what it had only skipped, not emitted, when the clock is set back")
    func forthAndBack() throws {
        let run = try run(.cron("0 * * * *"), from: "2026-01-01T10:30:00Z", missed: .none)
        run.clock.set(to: try at("2026-01-01T13:30:00Z"))
        run.clock.set(to: try at("2026-01-01T10:31:00Z"))
        run.clock.advance(to: try at("2026-01-01T12:30:00Z"))
        #expect(run.slots == ["11:00:00", "12:00:00"])
    }

    @Test("is not disturbed by small corrections of the clock")
    func corrections() throws {
        let run = try run(.every("1s"), from: "2026-01-01T00:00:00Z", missed: .none)
        for step in 1...5 {
            run.clock.advance(by: .milliseconds(900))
            run.clock.set(to: run.clock.now.adding(.milliseconds(step % 2 == 0 ? -300 : 400)))
        }
        #expect(run.slots == ["00:00:01", "00:00:02", "00:00:03", "00:00:04", "00:00:05"])
    }

    // MARK: The zone of the machine

    @Test("follows the machine's zone when it changes, and a zone of its own does not")
    func zoneChange() throws {
        let current = Mutex(try zone("Europe/Berlin"))
        let machine = MachineZone { () throws(ZoneFault) in current.withLock { $0 } }
        machine.setWatched(true)
        let clock = SimulatedAlarmClock(at: try at("2026-01-01T00:00:00Z"))
        let following = SlotRun(SlotDefinition(try .calendar("08:00"), zone: .machine(machine)), clock: clock)
        let own = SlotRun(SlotDefinition(try .calendar("08:00"), zone: .named(machine.rules)), clock: clock)
        clock.advance(to: try at("2026-01-01T12:00:00Z"))
        let tokyo = try zone("Asia/Tokyo")
        current.withLock { $0 = tokyo }
        machine.reread()
        #expect(following.locals == ["2026-01-01T08:00:00+01:00"])
        clock.advance(to: try at("2026-01-02T12:00:00Z"))
        #expect(following.locals.dropFirst() == ["2026-01-02T08:00:00+09:00"])
        #expect(following.receiver.elements.map(\.missed) == [0, 0])
        #expect(own.locals.dropFirst() == ["2026-01-02T08:00:00+01:00"])
    }

    @Test("reads an unwatched zone again at each of its slots")
    func unwatched() throws {
        let current = Mutex(try zone("Europe/Berlin"))
        let machine = MachineZone { () throws(ZoneFault) in current.withLock { $0 } }
        let run = SlotRun(
            SlotDefinition(try .calendar("08:00"), zone: .machine(machine)),
            clock: SimulatedAlarmClock(at: try at("2026-01-01T00:00:00Z")))
        run.clock.run()
        let tokyo = try zone("Asia/Tokyo")
        current.withLock { $0 = tokyo }
        run.clock.advance(to: try at("2026-01-02T12:00:00Z"))
        let slots = run.receiver.elements.map { $0["scheduled"] }
        #expect(slots == ["2026-01-01T07:00:00.000Z", "2026-01-01T23:00:00.000Z"])
    }

    // MARK: The end

    @Test("finishes after its last slot, once that is settled")
    func end() throws {
        let run = try run(.at("2026-01-01T08:00:00"), from: "2026-01-01T07:00:00Z", settles: false)
        run.clock.advance(by: .seconds(7200))
        #expect(run.slots == ["08:00:00"])
        #expect(!run.receiver.isFinished)
        run.settle()
        run.clock.run()
        #expect(run.receiver.isFinished)
        #expect(run.receiver.reports.isEmpty)
        #expect(run.source.upcoming == nil)
    }

    @Test("finishes at once, with the reason, if its time has passed and is not owed")
    func past() throws {
        let run = try run(.at("2026-01-01T08:00:00"), from: "2026-01-01T09:00:00Z", missed: .all)
        #expect(!run.receiver.isFinished)
        run.clock.run()
        #expect(run.receiver.isFinished)
        #expect(run.receiver.reports == ["the time 2026-01-01T08:00:00 has passed"])
        #expect(run.slots.isEmpty)
    }

    @Test("fires a time that passed while the daemon was down, and finishes then")
    func owedEnd() throws {
        let run = try run(
            .at("2026-01-01T08:00:00"), from: "2026-01-01T09:00:00Z", after: "2026-01-01T07:00:00Z")
        run.clock.run()
        #expect(run.slots == ["08:00:00"])
        #expect(run.receiver.isFinished)
    }

    @Test("finishes if only past years match")
    func pastYears() throws {
        let run = try run(.calendar("2020-*-* 08:00"), from: "2026-01-01T09:00:00Z")
        run.clock.run()
        #expect(run.receiver.isFinished)
        #expect(run.receiver.reports == ["\"2020-*-* 08:00\" has no time in the future"])
    }
}

/// A clock whose alarms for the past have taken effect before `schedule` returns, as on a machine with other threads.
private final class HastyClock: AlarmClock {
    let inner: SimulatedAlarmClock

    init(_ inner: SimulatedAlarmClock) { self.inner = inner }

    var now: Instant { inner.now }
    var elapsed: Duration { inner.elapsed }

    @discardableResult
    func schedule(at instant: Instant, on queue: WorkQueue, _ body: @escaping @Sendable () -> Void) -> Alarm {
        let alarm = inner.schedule(at: instant, on: queue, body)
        if instant <= now { inner.run() }
        return alarm
    }

    func cancel(_ alarm: Alarm) { inner.cancel(alarm) }

    func observeChanges(on queue: WorkQueue, _ body: @escaping @Sendable () -> Void) -> ClockObserver {
        inner.observeChanges(on: queue, body)
    }

    func remove(_ observer: ClockObserver) { inner.remove(observer) }
}
