/// The lengths of units of time in microseconds.
enum Microseconds {
    static let perSecond: Int64 = 1_000_000
    static let perMinute: Int64 = 60 * perSecond
    static let perHour: Int64 = 60 * perMinute
    static let perDay: Int64 = 24 * perHour
}
