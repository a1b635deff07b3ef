/// Arithmetic on the protocol's times, `2026-11-21T01:02:03.123Z`.
enum WireTime {
    /// Milliseconds since 1970; nil for other text.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 24, bytes[10] == UInt8(ascii: "T"), bytes[23] == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            Int64(String(decoding: bytes[range], as: UTF8.self))
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            let millisecond = number(20..<23), (1...12).contains(month)
        else { return nil }
        let seconds = (days(year, month, day) * 24 + hour) * 60 * 60 + minute * 60 + second
        return seconds * 1000 + millisecond
    }

    /// Days since 1970-01-01. Years begin in March here, so that the leap day is their last one.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let month = (month + 9) % 12
        let leapDays = year / 4 - year / 100 + year / 400
        // 153 days in each five months from March, and 719,468 from 0000-03-01 to 1970-01-01.
        return year * 365 + leapDays + (month * 153 + 2) / 5 + day - 1 - 719_468
    }
}
