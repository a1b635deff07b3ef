import RxStreams
import RxTime
import Synchronization
import Testing

@testable import RxSources

/// Random kills, stalls, suspensions, clocks that jump forward, and delays before an element is settled: each slot of
/// the schedule is emitted once, or counted once in the next element, and the policy is followed.
@Suite("Any schedule under any trouble")
struct SlotModelTests {
    /// What a daemon stores: the last element that took effect, and everything before it.
    private struct Stored {
        var position: Instant
        var slots: [Instant] = []
        var missed: [Int] = []
        /// When each was fired.
        var fired: [Instant] = []
    }

    private static let rules: [SlotRule] = [
        try! .every("1s"), try! .every("45s"), try! .cron("*/7 * * * *"), try! .calendar("*:0/20"),
        try! .calendar("00,01,02,03:30"), try! .cron("0 */6 * * *"), try! .every("1d"),
    ]
    private static let zones = ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca"]

    @Test("emits or counts each slot once", arguments: 1...150)
    func model(seed: Int) throws {
        var dice = SplitMix(seed: UInt64(seed))
        let rule = Self.rules.randomElement(using: &dice)!
        let rules = try zone(Self.zones.randomElement(using: &dice)!)
        let schedule = rule.schedule(in: rules)
        let policy = MissedPolicy.allCases.randomElement(using: &dice)!
        let window = Int64([0, 60, 3600, 86_400].randomElement(using: &dice)!) * 1_000_000
        let jitter = Jitter(below: [0, 0, 30_000_000].randomElement(using: &dice)!, machine: "m", stream: "\(seed)")
        let definition = SlotDefinition(
            rule, zone: .named(rules), missed: policy, window: window, jitter: jitter)
        // Shortly before one of two nights with a clock change.
        let start = try at(
            ["2026-03-28T23:10:11Z", "2026-10-24T23:10:11Z", "2026-04-04T13:10:11Z"]
                .randomElement(using: &dice)!)
        let clock = SimulatedAlarmClock(at: start)
        var stored = Stored(position: start.adding(microseconds: -jitter.offset))
        let origin = stored.position
        var run: SlotRun?
        var settled = 0
        // A step is about as long as some slots, or far longer.
        let unit = Double(try #require(schedule.next(after: start)).microseconds - start.microseconds) / 1e6 + 1
        for _ in 0..<60 {
            let now = clock.now
            if run == nil {
                run = SlotRun(definition, clock: clock, after: stored.position, settles: false)
                settled = 0
            }
            let time = Duration.milliseconds(Int64(unit * pow(Double.random(in: 0..<3, using: &dice)) * 1000))
            switch Int.random(in: 0..<10, using: &dice) {
            case 0: clock.stall(for: time)
            case 1: clock.suspend(for: time)
            case 2: clock.set(to: now.adding(time))
            case 3:
                // A kill: what was not settled has not taken effect.
                run?.source.stop()
                run = nil
                clock.advance(by: time)
            default: clock.advance(by: time)
            }
            // Mostly what was emitted takes effect, one by one.
            while let current = run, current.receiver.elements.count > settled,
                Int.random(in: 0..<8, using: &dice) > 0
            {
                let element = current.receiver.elements[settled]
                settled += 1
                #expect(current.receiver.elements.count == settled, "a second element before the first was settled")
                stored.position = SlotPosition.instant(element.position!)!
                stored.slots.append(stored.position)
                stored.missed.append(element.missed)
                stored.fired.append(try at(element["fired"]))
                #expect(element.time == stored.position.adding(microseconds: jitter.offset))
                if Int.random(in: 0..<6, using: &dice) == 0 { clock.stall(for: time) }
                current.source.settled(through: element.position)
                clock.run()
            }
        }
        check(stored, schedule, origin: origin, policy, window: window, jitter: jitter.offset)
    }

    private func check(
        _ stored: Stored, _ schedule: Schedule, origin: Instant, _ policy: MissedPolicy, window: Int64, jitter: Int64
    ) {
        var expected = schedule.slots(after: origin, through: .horizon).makeIterator()
        for (place, slot) in stored.slots.enumerated() {
            var skipped = 0
            while let next = expected.next(), next < slot { skipped += 1 }
            #expect(stored.missed[place] == skipped, "before \(slot.text)")
            #expect(schedule.previous(before: slot.adding(microseconds: 1)) == slot, "\(slot.text) is no slot")
            let late = stored.fired[place].microseconds - slot.microseconds - jitter
            #expect(late >= 0, "\(slot.text) is early")
            // Without a policy that owes it, nothing is later than a loaded machine makes it.
            #expect(
                late <= (policy == .none ? SlotPlan.longGrace : max(window, SlotPlan.longGrace)),
                "\(slot.text) is \(late) us late")
        }
    }

    /// From 0.05 to about 100, small numbers as often as large ones.
    private func pow(_ exponent: Double) -> Double {
        var result = 0.05
        for _ in 0..<Int(exponent * 4) { result *= 2 }
        return result
    }
}
