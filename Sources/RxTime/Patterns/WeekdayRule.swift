/// Which weekdays of a month match. In each set, bit 0 is Monday and bit 6 is Sunday.
struct WeekdayRule: Hashable, Sendable {
    /// Weekdays that always match.
    var every: UInt8 = 0
    /// Weekdays of which only the first to the fifth of the month match.
    var numbered: [UInt8] = [0, 0, 0, 0, 0]
    /// Weekdays of which only the last of the month matches.
    var last: UInt8 = 0

    static let all = WeekdayRule(every: 0x7F)

    /// The days of a month as bits 1 to 31. `first` is the weekday of its first day, from 0 for Monday; the month has
    /// `length` days.
    func days(first: Int, length: Int) -> UInt32 {
        let month = MonthDays.all(length)
        if every == 0x7F { return month }
        var days = Self.spread(every, first)
        for (number, weekdays) in numbered.enumerated() where weekdays != 0 {
            days |= Self.spread(weekdays, first) & (0xFE << UInt32(number * 7))
        }
        if last != 0 { days |= Self.spread(last, first) & ~MonthDays.all(length - 7) }
        return days & month
    }

    /// All days with these weekdays.
    private static func spread(_ weekdays: UInt8, _ first: Int) -> UInt32 {
        let week = UInt64(weekdays)
        let weeks = week | week << 7 | week << 14 | week << 21 | week << 28 | week << 35
        return UInt32(truncatingIfNeeded: (weeks >> UInt64(first)) << 1)
    }
}
