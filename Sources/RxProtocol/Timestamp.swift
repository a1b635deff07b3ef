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
        let (seconds, millisecond) = Timestamp.split(
            min(max(milliseconds, Timestamp.range.lowerBound), Timestamp.range.upperBound))
        var date = tm()
        var time = time_t(seconds)
        gmtime_r(&time, &date)
        bytes.reserveCapacity(bytes.count + Timestamp.length)
        func append(_ value: Int, digits: Int, then separator: StaticString) {
            var divisor = digits == 4 ? 1000 : digits == 3 ? 100 : 10
            while divisor > 0 {
                bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
                divisor /= 10
            }
            bytes.append(separator.utf8Start.pointee)
        }
        append(Int(date.tm_year) + 1900, digits: 4, then: "-")
        append(Int(date.tm_mon) + 1, digits: 2, then: "-")
        append(Int(date.tm_mday), digits: 2, then: "T")
        append(Int(date.tm_hour), digits: 2, then: ":")
        append(Int(date.tm_min), digits: 2, then: ":")
        append(Int(date.tm_sec), digits: 2, then: ".")
        append(Int(millisecond), digits: 3, then: "Z")
    }

    /// Seconds rounded down and the remaining milliseconds, also for times before 1970.
    private static func split(_ milliseconds: Int64) -> (seconds: Int64, millisecond: Int64) {
        let rest = milliseconds % 1000
        return rest < 0 ? (milliseconds / 1000 - 1, rest + 1000) : (milliseconds / 1000, rest)
    }
}
