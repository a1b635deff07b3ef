import RxTime
import TestSupport
import Testing

/// Random expressions, compared with a model that looks at every minute or second of some days.
@Suite("Schedules against a model")
struct ScheduleModelTests {
    private static let zones = [
        ("Europe/Berlin", ["2026-03-28T00:00:00Z", "2026-10-24T00:00:00Z", "2090-03-25T12:00:00Z"]),
        ("America/New_York", ["2026-03-07T12:00:00Z", "2026-10-31T12:00:00Z"]),
        ("Australia/Lord_Howe", ["2026-10-02T12:00:00Z", "2026-04-03T12:00:00Z"]),
        ("Africa/Casablanca", ["2026-02-14T00:00:00Z", "2026-03-21T00:00:00Z"]),
        ("Pacific/Apia", ["2011-12-29T00:00:00Z"]), ("America/Havana", ["2026-03-07T12:00:00Z"]),
        ("UTC", ["2024-02-28T00:00:00Z"]),
    ]

    /// What an expression matches, field by field, as sets; nil is `*`.
    private struct Model {
        var hours: Set<Int>?
        var minutes: Set<Int>?
        var seconds: Set<Int> = [0]
        var weekdays: Set<Int>?

        var isInterval: Bool { hours == nil || minutes == nil }

        /// In 6 fields, which are read as cron's, and as a calendar expression.
        var cron: String { "\(list(seconds)) \(list(minutes)) \(list(hours)) * * \(list(weekdays))" }
        var calendar: String {
            let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
            let days = weekdays.map { $0.sorted().map { names[$0] }.joined(separator: ",") + " " } ?? ""
            return days + "\(list(hours)):\(list(minutes)):\(list(seconds))"
        }

        private func list(_ numbers: Set<Int>?) -> String {
            numbers.map { $0.sorted().map(String.init).joined(separator: ",") } ?? "*"
        }

        init(_ numbers: inout SplitMix) {
            func some(_ range: Range<Int>, _ numbers: inout SplitMix) -> Set<Int> {
                Set((0...Int.random(in: 0...3, using: &numbers)).map { _ in Int.random(in: range, using: &numbers) })
            }
            if Int.random(in: 0..<3, using: &numbers) > 0 {
                hours = some(0..<24, &numbers).union([0, 1, 2].shuffled(using: &numbers).prefix(1))
            }
            if Int.random(in: 0..<3, using: &numbers) > 0 { minutes = some(0..<60, &numbers) }
            if Int.random(in: 0..<3, using: &numbers) > 1 { seconds = some(0..<60, &numbers) }
            if Int.random(in: 0..<4, using: &numbers) == 0 { weekdays = some(0..<7, &numbers) }
        }

        func matches(_ local: Int) -> Bool {
            let (day, second) = (local / 86_400, local % 86_400)
            return (hours?.contains(second / 3600) ?? true) && (minutes?.contains(second / 60 % 60) ?? true)
                && seconds.contains(second % 60) && (weekdays?.contains((day + 4) % 7) ?? true)
        }

        /// The slots after one second and up to another one, second by second. The model begins a day earlier, so that
        /// it knows which local times have occurred before.
        func slots(_ first: Int64, _ last: Int64, _ zone: TimeZoneRules) -> [Int64] {
            var found: [Int64] = []
            var seen: Set<Int> = []
            var latest = Int.min
            for second in first - 86_400...last {
                let local = Int(second) + zone.period(at: Instant(seconds: second)).offset
                if isInterval {
                    if matches(local), second > first { found.append(second) }
                } else {
                    let skipped = latest == .min || local <= latest + 1 ? [] : Array(latest + 1..<local)
                    let isNew = seen.insert(local).inserted && local > latest
                    if (isNew && matches(local)) || skipped.contains(where: matches), second > first {
                        found.append(second)
                    }
                }
                latest = max(latest, local)
            }
            return found
        }
    }

    @Test("cron and calendar have the slots of the model, forward, backward, and by number", arguments: Effort.seeds(8))
    func model(seed: UInt64) throws {
        var numbers = SplitMix(seed: seed)
        let (name, starts) = Self.zones[Int(seed) % Self.zones.count]
        let zone = try zone(name)
        let first = try at(starts.randomElement(using: &numbers)!).microseconds / 1_000_000
        let last = first + 2 * 86_400
        let model = Model(&numbers)
        let expected = model.slots(first, last, zone)
        let (start, end) = (Instant(seconds: first), Instant(seconds: last))
        for schedule in [
            try CronExpression(model.cron).schedule(in: zone),
            try CalendarExpression(model.calendar).schedule(in: zone),
        ] {
            let slots = Array(schedule.slots(after: start, through: end))
            #expect(slots == expected.map { Instant(seconds: $0) }, "\(model.cron) in \(name) after \(first)")
            #expect(schedule.count(after: start, through: end) == expected.count)
            var backward: [Instant] = []
            while let slot = schedule.previous(before: backward.last ?? end.adding(microseconds: 1)), slot > start {
                backward.append(slot)
            }
            #expect(backward.reversed() == slots)
        }
    }

    @Test("the next slot is later, nothing lies between, and the count agrees", arguments: 0..<40)
    func properties(seed: Int) throws {
        var numbers = SplitMix(seed: UInt64(1000 + seed))
        let zone = try zone(Self.zones[seed % Self.zones.count].0)
        let schedule = try CronExpression(Model(&numbers).cron).schedule(in: zone)
        for _ in 0..<200 {
            let start = Instant(microseconds: Int64.random(in: 0...7_000_000_000_000_000, using: &numbers))
            let next = try #require(schedule.next(after: start))
            #expect(next > start)
            #expect(schedule.previous(before: next.adding(microseconds: 1)) == next)
            #expect(try #require(schedule.previous(before: next)) <= start)
            #expect(schedule.next(after: next.adding(microseconds: -1)) == next)
            #expect(schedule.count(after: start, through: next) == 1)
            #expect(schedule.count(after: start, through: next.adding(microseconds: -1)) == 0)
            let span = Instant(microseconds: next.microseconds + Int64.random(in: 0...86_400_000_000, using: &numbers))
            let slots = schedule.slots(after: start, through: span).reduce(0) { count, _ in count + 1 }
            #expect(schedule.count(after: start, through: span) == slots)
        }
    }
}
