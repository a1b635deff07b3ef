/// A zone as the variable TZ of POSIX describes it: standard time and, if there is one, yearly summer time.
struct PosixRule: Hashable, Sendable {
    let standard: LocalTimeType
    let daylight: Daylight?

    /// Summer time, and when it begins and ends.
    struct Daylight: Hashable, Sendable {
        let type: LocalTimeType
        let begin: Change
        let end: Change
    }

    /// A day of the year, and seconds since its midnight on the clock before the change: -167 to 167 hours.
    struct Change: Hashable, Sendable {
        let date: PosixDate
        let time: Int
    }

    /// The period with the second `seconds`, cut off at `least`.
    func period(at seconds: Int64, notBefore least: Int64) -> ZonePeriod {
        var start = least
        var end = Int64.max
        var type = standard
        if let daylight {
            // A change may be a week away from its year, so the years beside this one may decide.
            let year = CivilDate(dayNumber: Int(seconds.dividedDown(by: 86_400).quotient)).year
            for change in (year - 2...year + 2).flatMap({ changes(daylight, year: $0) }).sorted(by: {
                $0.time < $1.time
            }) {
                if change.time > seconds {
                    end = change.time
                    break
                }
                type = change.type
                start = max(least, change.time)
            }
        }
        return ZonePeriod(
            start: start == .min ? Instant(microseconds: .min) : Instant(seconds: start),
            end: end == .max ? Instant(microseconds: .max) : Instant(seconds: end), type: type)
    }

    /// The end of summer time comes first. `sorted` is stable, so if one begins as the last one ends, it goes on: that
    /// is how a rule expresses summer time all year.
    private func changes(_ daylight: Daylight, year: Int) -> [ZoneChange] {
        let end = Int64(daylight.end.date.dayNumber(year: year)) * 86_400
        let begin = Int64(daylight.begin.date.dayNumber(year: year)) * 86_400
        return [
            ZoneChange(time: end + Int64(daylight.end.time - daylight.type.offset), type: standard),
            ZoneChange(time: begin + Int64(daylight.begin.time - standard.offset), type: daylight.type),
        ]
    }
}
