extension TimeZoneRules {
    /// The first instant at which the zone's clock shows `local` or a later time. For a time that the clock skips, that
    /// is the change; for a time that occurs twice, it is the first occurrence.
    public func firstInstant(reaching local: LocalTime) -> Instant {
        var period = period(
            at: Instant(microseconds: local.adding(microseconds: -LocalTimeType.mostOffset).microseconds))
        while true {
            let instant = max(period.start, period.instant(local))
            if instant < period.end { return instant }
            guard period.end.microseconds < .max else { return period.end }
            period = self.period(at: period.end)
        }
    }

    /// The latest time that the zone's clock has shown up to an instant, the instant included. It is not the local time
    /// of the instant if the clock was put back shortly before.
    func latestLocal(through instant: Instant) -> LocalTime {
        var period = period(at: instant)
        var latest = period.local(instant)
        // Local times are at most this far apart, so that changes longer ago cannot matter.
        let least = instant.adding(microseconds: -2 * LocalTimeType.mostOffset)
        while period.start > least {
            let before = period.start.adding(microseconds: -1)
            period = self.period(at: before)
            latest = max(latest, period.local(before))
        }
        return latest
    }
}
