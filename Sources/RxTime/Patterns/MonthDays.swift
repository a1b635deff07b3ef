/// Days of a month as bits 1 to 31.
enum MonthDays {
    /// The days from 1 through `last`.
    static func all(_ last: Int) -> UInt32 { UInt32(truncatingIfNeeded: (UInt64(2) << UInt64(last)) - 2) }

    /// The days from the end of a month with `length` days: bit 1 of `places` is its last day.
    static func fromEnd(_ places: UInt32, length: Int) -> UInt32 {
        var days: UInt32 = 0
        var rest = places
        while rest != 0 {
            let place = rest.trailingZeroBitCount
            rest &= rest - 1
            if place <= length { days |= 1 << UInt32(length + 1 - place) }
        }
        return days
    }
}
