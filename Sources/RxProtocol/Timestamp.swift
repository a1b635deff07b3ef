internal import Glibc

/// A point in time on the wire: RFC 3339 in UTC with milliseconds, such as `2026-11-21T01:02:03.123Z`.
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// A time as milliseconds since 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Reads the text of a time; nil for anything but `2026-11-21T01:02:03.123Z`.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let form = Array("0000-00-00T00:00:00.000Z".utf8)
        guard bytes.count == Timestamp.length else { return nil }
        var numbers: [Int64] = [0]
        for (byte, place) in zip(bytes, form) {
            if place == UInt8(ascii: "0") {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(byte - UInt8(ascii: "0"))
            } else {
                guard byte == place else { return nil }
                numbers.append(0)
            }
        }
        var date = tm()
        date.tm_year = Int32(numbers[0]) - 1900
        date.tm_mon = Int32(numbers[1]) - 1
        date.tm_mday = Int32(numbers[2])
        date.tm_hour = Int32(numbers[3])
        date.tm_min = Int32(numbers[4])
        date.tm_sec = Int32(numbers[5])
        let given = date
        let seconds = timegm(&date)
        // `timegm` makes March 2 of February 30.
        guard date.tm_mon == given.tm_mon, date.tm_mday == given.tm_mday, date.tm_hour == given.tm_hour,
            date.tm_min == given.tm_min, date.tm_sec == given.tm_sec
        else { return nil }
        milliseconds = Int64(seconds) * 1000 + numbers[6]
    }

    /// Whether `a` is earlier than `b`.
    public static func < (a: Timestamp, b: Timestamp) -> Bool {
        a.milliseconds < b.milliseconds
    }

    /// The number of bytes that `write(to:)` appends.
    public static let length = 24

    /// The text.
    public var description: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The times that the text can have: years 0 to 9999.
    private static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Appends the text to `bytes`: for a time beyond years 0 to 9999, the nearest one in them.
    public func write(to bytes: inout [UInt8]) {
        let time = min(max(milliseconds, Timestamp.range.lowerBound), Timestamp.range.upperBound)
        // Of a time before 1970, the rest of its day is positive too.
        let rest = (time % Timestamp.day + Timestamp.day) % Timestamp.day
        let (year, month, day) = Timestamp.date((time - rest) / Timestamp.day)
        bytes.append(addingCapacity: Timestamp.length) { span in
            func append(_ value: Int64, digits: Int, then separator: UInt8) {
                var divisor: Int64 = digits == 4 ? 1000 : digits == 3 ? 100 : 10
                while divisor > 0 {
                    span.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
                    divisor /= 10
                }
                span.append(separator)
            }
            append(year, digits: 4, then: UInt8(ascii: "-"))
            append(month, digits: 2, then: UInt8(ascii: "-"))
            append(day, digits: 2, then: UInt8(ascii: "T"))
            append(rest / 3_600_000, digits: 2, then: UInt8(ascii: ":"))
            append(rest / 60_000 % 60, digits: 2, then: UInt8(ascii: ":"))
            append(rest / 1000 % 60, digits: 2, then: UInt8(ascii: "."))
            append(rest % 1000, digits: 3, then: UInt8(ascii: "Z"))
        }
    }

    /// The milliseconds of a day.
    private static let day: Int64 = 86_400_000

    /// The date of a day since 1970, computed without `gmtime_r`, which takes a lock of the whole process.
    ///
    /// See "chrono-Compatible Low-Level Date Algorithms" by Howard Hinnant: years begin in March, so that the leap day
    /// is their last, and 400 of them are an era.
    private static func date(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // One era more, so that nothing is negative in the year 0.
        let shifted = day + 719_468 + 146_097
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isNextYear = month >= 10
        return (
            (era - 1) * 400 + yearOfEra + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }
}
