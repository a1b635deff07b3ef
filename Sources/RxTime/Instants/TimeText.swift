/// Instants as RFC 3339 writes them.
public enum TimeText {
    /// `2026-03-29T01:00:00.000Z`: milliseconds, or microseconds where they are not zero.
    public static func utc(_ instant: Instant) -> String {
        let (time, fraction) = parts(LocalTime(microseconds: instant.microseconds))
        return time + "." + digits(fraction) + "Z"
    }

    /// `2026-03-29T03:00:00+02:00`: without a fraction if it is zero. Seconds of an offset, which no zone has had since
    /// 1972, follow its minutes.
    public static func local(_ instant: Instant, offset: Int) -> String {
        let shift = Int64(offset) * Microseconds.perSecond
        let (time, fraction) = parts(LocalTime(microseconds: instant.microseconds.addingWithinBounds(shift)))
        let size = abs(offset)
        var text = time
        if fraction != 0 { text += "." + digits(fraction) }
        text += (offset < 0 ? "-" : "+") + padded(size / 3600, 2) + ":" + padded(size / 60 % 60, 2)
        if size % 60 != 0 { text += ":" + padded(size % 60, 2) }
        return text
    }

    private static func parts(_ local: LocalTime) -> (text: String, fraction: Int) {
        let (dayNumber, timeOfDay) = local.parts
        let date = CivilDate(dayNumber: dayNumber)
        let (seconds, fraction) = Int(timeOfDay).quotientAndRemainder(dividingBy: 1_000_000)
        let day = padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2)
        let time = padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2)
        return (day + "T" + time, fraction)
    }

    private static func digits(_ fraction: Int) -> String {
        fraction % 1000 == 0 ? padded(fraction / 1000, 3) : padded(fraction, 6)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(abs(number))
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
