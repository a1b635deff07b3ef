/// The slots of local times that are fixed: each time has one slot, the first instant at which the zone's clock shows
/// it or a later one.
struct FixedSlots<Times: LocalTimes> {
    let times: Times
    let zone: TimeZoneRules

    func next(after instant: Instant) -> Instant? {
        // Up to the latest time that the clock has shown, everything has had its slot.
        let least = zone.latestLocal(through: instant).adding(microseconds: 1)
        return times.first(from: least).map { zone.firstInstant(reaching: $0) }
    }

    func previous(before instant: Instant) -> Instant? {
        let most = zone.latestLocal(through: instant.adding(microseconds: -1))
        return times.last(through: most).map { zone.firstInstant(reaching: $0) }
    }

    /// If a slot is not at one of the local times, since the clock skipped that time.
    func isMoved(_ slot: Instant) -> Bool {
        let local = zone.period(at: slot).local(slot)
        return times.first(from: local) != local
    }

    /// How many slots are after one instant and not after another one.
    func count(after first: Instant, through last: Instant) -> Int {
        guard first < last else { return 0 }
        let least = zone.latestLocal(through: first).adding(microseconds: 1)
        var count = times.count(from: least, through: zone.latestLocal(through: last))
        // What the clock skips has one slot in common.
        var change = zone.period(at: first).end
        while change <= last {
            let before = zone.latestLocal(through: change.adding(microseconds: -1))
            let skipped = times.count(
                from: before.adding(microseconds: 1), through: zone.latestLocal(through: change))
            if skipped > 1 { count -= skipped - 1 }
            change = zone.period(at: change).end
        }
        return count
    }
}
