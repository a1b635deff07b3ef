/// Reads a POSIX rule such as `CET-1CEST,M3.5.0,M10.5.0/3`, with the extensions of RFC 9636: names in `<>`, and times
/// of -167 to 167 hours.
struct PosixRuleParser {
    private let text: String
    private let bytes: [UInt8]
    private var position = 0

    /// The rule in `text`; throws `invalidRule` if it is malformed or has summer time without dates.
    static func parse(_ text: String) throws(ZoneFault) -> PosixRule {
        var parser = PosixRuleParser(text: text, bytes: Array(text.utf8))
        let rule = try parser.rule()
        guard parser.position == parser.bytes.count else { throw parser.fault("the end") }
        return rule
    }

    private init(text: String, bytes: [UInt8]) {
        self.text = text
        self.bytes = bytes
    }

    private mutating func rule() throws(ZoneFault) -> PosixRule {
        let standardName = try name()
        let standardOffset = -(try time(mostHours: 24))
        let standard = LocalTimeType(offset: standardOffset, isDaylight: false, abbreviation: standardName)
        guard position < bytes.count else { return PosixRule(standard: standard, daylight: nil) }
        let daylightName = try name()
        let offset = next == UInt8(ascii: ",") ? standardOffset + 3600 : -(try time(mostHours: 24))
        let daylight = LocalTimeType(offset: offset, isDaylight: true, abbreviation: daylightName)
        let (begin, end) = (try change(), try change())
        return PosixRule(
            standard: standard, daylight: PosixRule.Daylight(type: daylight, begin: begin, end: end))
    }

    private mutating func name() throws(ZoneFault) -> String {
        let isQuoted = next == UInt8(ascii: "<")
        if isQuoted { position += 1 }
        let start = position
        while let byte = next, isLetter(byte) || (isQuoted && (isDigit(byte) || byte == 0x2B || byte == 0x2D)) {
            position += 1
        }
        guard position - start >= 3 else { throw fault("a name of at least three letters") }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        if isQuoted { try skip(">") }
        return name
    }

    private mutating func change() throws(ZoneFault) -> PosixRule.Change {
        try skip(",")
        let date = try date()
        guard next == UInt8(ascii: "/") else { return PosixRule.Change(date: date, time: 7200) }
        position += 1
        return PosixRule.Change(date: date, time: try time(mostHours: 167))
    }

    private mutating func date() throws(ZoneFault) -> PosixDate {
        switch next {
        case UInt8(ascii: "J"):
            position += 1
            return .julian(try number(1...365))
        case UInt8(ascii: "M"):
            position += 1
            let month = try number(1...12)
            try skip(".")
            let week = try number(1...5)
            try skip(".")
            return .weekday(month: month, week: week, weekday: try number(0...6))
        default: return .dayOfYear(try number(0...365))
        }
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    private mutating func time(mostHours: Int) throws(ZoneFault) -> Int {
        let sign = next == UInt8(ascii: "-") ? -1 : 1
        if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") { position += 1 }
        var seconds = try number(0...mostHours) * 3600
        for unit in [60, 1] where next == UInt8(ascii: ":") {
            position += 1
            seconds += try number(0...59) * unit
        }
        return sign * seconds
    }

    private mutating func number(_ range: ClosedRange<Int>) throws(ZoneFault) -> Int {
        let start = position
        var value = 0
        // Three digits are as many as any of the ranges has; a fourth one is refused where it stands.
        while let byte = next, isDigit(byte), position - start < 3 {
            value = value * 10 + Int(byte - 0x30)
            position += 1
        }
        guard position > start, range.contains(value) else {
            position = start
            throw fault("a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private mutating func skip(_ character: Unicode.Scalar) throws(ZoneFault) {
        guard next == UInt8(ascii: character) else { throw fault("\"\(character)\"") }
        position += 1
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private func fault(_ expected: String) -> ZoneFault {
        .invalidRule(text, position: position, expected: expected)
    }
}
