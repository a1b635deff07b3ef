/// Reads a date and a time of day in the form of RFC 3339.
struct DateTimeReader {
    private var scanner: Scanner

    init(_ text: String) { scanner = Scanner(text) }

    mutating func read() throws(ExpressionFault) -> (local: LocalTime, offset: Int?) {
        let year = try number("year", digits: 4, YearSet.range)
        try skip("-")
        let month = try number("month", digits: 2, 1...12)
        try skip("-")
        let day = try number("day", digits: 2, 1...CivilDate.length(ofMonth: month, year: year))
        guard scanner.skip("T") || scanner.skip(" ") else { throw scanner.fault("expected \"T\" and a time of day") }
        let hour = try number("hour", digits: 2, 0...23)
        try skip(":")
        let minute = try number("minute", digits: 2, 0...59)
        let second = scanner.skip(":") ? try number("second", digits: 2, 0...59) : 0
        let microsecond = scanner.skip(".") ? try fraction() : 0
        let offset = try offset()
        guard scanner.isAtEnd else { throw scanner.fault("expected the end of the time") }
        return (
            LocalTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second,
                microsecond: microsecond), offset
        )
    }

    /// Digits beyond the sixth are cut off.
    private mutating func fraction() throws(ExpressionFault) -> Int {
        let digits = Array(scanner.digits())
        guard !digits.isEmpty else { throw scanner.fault("expected a digit") }
        return (0..<6).reduce(0) { $0 * 10 + ($1 < digits.count ? Int(digits[$1] - 0x30) : 0) }
    }

    private mutating func offset() throws(ExpressionFault) -> Int? {
        if scanner.isAtEnd { return nil }
        if scanner.skip("Z") { return 0 }
        let isWest = scanner.next == "-"
        guard scanner.skip("+") || scanner.skip("-") else {
            throw scanner.fault("expected the end of the time, \"Z\", or an offset such as +01:00")
        }
        let hours = try number("hour of the offset", digits: 2, 0...23)
        try skip(":")
        let seconds = (hours * 60 + (try number("minute of the offset", digits: 2, 0...59))) * 60
        return isWest ? -seconds : seconds
    }

    private mutating func number(
        _ name: String, digits count: Int, _ range: ClosedRange<Int>
    ) throws(ExpressionFault) -> Int {
        let place = scanner.position
        let digits = scanner.digits()
        guard digits.count == count else { throw scanner.fault("expected the \(name) in \(count) digits", at: place) }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard range.contains(value) else {
            throw scanner.fault("the \(name) is not from \(range.lowerBound) to \(range.upperBound)", at: place)
        }
        return value
    }

    private mutating func skip(_ character: String) throws(ExpressionFault) {
        guard scanner.skip(character) else { throw scanner.fault("expected \"\(character)\"") }
    }
}
