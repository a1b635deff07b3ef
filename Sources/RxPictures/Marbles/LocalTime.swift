/// A local time as text.
struct LocalTime {
    /// `2026-03-28`
    let date: String
    /// `14:02:03`
    let clock: String
    /// `14:02:03.250`
    let fineClock: String
    /// `14:02`
    let coarseClock: String
    /// `UTC+02:00`, or `UTC`
    let zone: String

    /// - Parameter milliseconds: since 1970-01-01T00:00Z.
    /// - Parameter offset: the seconds that local time is ahead of UTC.
    init(_ milliseconds: Int64, offset: Int) {
        let local = Self.floor(milliseconds, 1000)
        let seconds = local.quotient + Int64(offset)
        let day = Self.floor(seconds, 86_400)
        // The civil calendar, in eras of 400 years that begin in March.
        let era = Self.floor(day.quotient + 719_468, 146_097)
        let dayOfEra = era.rest
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era.quotient * 400 + (month <= 2 ? 1 : 0)
        date = "\(year)-\(Self.pad(month))-\(Self.pad(dayOfYear - (153 * shifted + 2) / 5 + 1))"
        coarseClock = "\(Self.pad(day.rest / 3600)):\(Self.pad(day.rest / 60 % 60))"
        clock = "\(coarseClock):\(Self.pad(day.rest % 60))"
        fineClock = "\(clock).\(Self.pad(local.rest, 3))"
        let minutes = Int64(abs(offset) / 60)
        zone =
            offset == 0 ? "UTC" : "UTC\(offset < 0 ? "-" : "+")\(Self.pad(minutes / 60)):\(Self.pad(minutes % 60))"
    }

    private static func floor(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let rest = (number % divisor + divisor) % divisor
        return ((number - rest) / divisor, rest)
    }

    private static func pad(_ number: Int64, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
