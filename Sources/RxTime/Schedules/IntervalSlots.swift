/// The slots of local times that form an interval: every instant at which the zone's clock shows one of them.
struct IntervalSlots<Times: LocalTimes> {
    let times: Times
    let zone: TimeZoneRules

    func next(after instant: Instant) -> Instant? {
        var start = instant.adding(microseconds: 1)
        while start < .horizon {
            let period = zone.period(at: start)
            let local = period.local(start)
            let found = times.first(from: local)
            if let found, period.instant(found) < period.end { return period.instant(found) }
            start = period.end
            // From here on the clock shows no time before `local` again, so it shows nothing that matches until it
            // comes near to `found`.
            guard start.microseconds >= local.microseconds + LocalTimeType.mostOffset else { continue }
            guard let found else { return nil }
            start = max(start, Instant(microseconds: found.microseconds - LocalTimeType.mostOffset))
        }
        return nil
    }

    func previous(before instant: Instant) -> Instant? {
        var end = instant.adding(microseconds: -1)
        while end >= .beginning {
            let period = zone.period(at: end)
            let local = period.local(end)
            let found = times.last(through: local)
            if let found, period.instant(found) >= period.start { return period.instant(found) }
            end = period.start.adding(microseconds: -1)
            guard end.microseconds <= local.microseconds - LocalTimeType.mostOffset else { continue }
            guard let found else { return nil }
            end = min(end, Instant(microseconds: found.microseconds + LocalTimeType.mostOffset))
        }
        return nil
    }

    /// How many slots are after one instant and not after another one.
    func count(after first: Instant, through last: Instant) -> Int {
        var count = 0
        var start = first.adding(microseconds: 1)
        while start <= last {
            let period = zone.period(at: start)
            let end = min(last, period.end.adding(microseconds: -1))
            count += times.count(from: period.local(start), through: period.local(end))
            guard end < last else { break }
            start = period.end
        }
        return count
    }
}
