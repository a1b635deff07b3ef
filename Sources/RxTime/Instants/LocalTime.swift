/// What a clock on the wall shows: a date and a time of day, without a zone.
public struct LocalTime: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00 on the same clock.
    public let microseconds: Int64

    /// The time that many microseconds after 1970-01-01T00:00.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// A date of the Gregorian calendar and a time of day; the numbers must be those of a real date.
    public init(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, microsecond: Int = 0
    ) {
        let seconds = (hour * 60 + minute) * 60 + second
        self.init(
            dayNumber: CivilDate(year: year, month: month, day: day).dayNumber,
            timeOfDay: Int64(seconds) * Microseconds.perSecond + Int64(microsecond))
    }

    init(dayNumber: Int, timeOfDay: Int64) {
        microseconds = Int64(dayNumber) * Microseconds.perDay + timeOfDay
    }

    /// Days since 1970-01-01, and microseconds since midnight.
    var parts: (dayNumber: Int, timeOfDay: Int64) {
        let (day, time) = microseconds.dividedDown(by: Microseconds.perDay)
        return (Int(day), time)
    }

    func adding(microseconds more: Int64) -> LocalTime {
        LocalTime(microseconds: microseconds.addingWithinBounds(more))
    }

    public static func < (left: LocalTime, right: LocalTime) -> Bool { left.microseconds < right.microseconds }
}
