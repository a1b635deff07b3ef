/// What applies in a zone between two changes of its clock.
struct LocalTimeType: Hashable, Sendable {
    /// Seconds to add to UTC.
    let offset: Int
    /// If this is daylight saving time. Where summer is standard time, such as in Ireland, winter is marked instead.
    let isDaylight: Bool
    /// Such as `CEST` or `+04`.
    let abbreviation: String

    /// The offsets that RFC 9636 allows, in seconds: more than 25 hours west or 26 hours east is an error in a file.
    static let offsets = -89_999...93_599

    /// More than the distance of any local time from UTC, in microseconds.
    static let mostOffset: Int64 = 26 * Microseconds.perHour
}
