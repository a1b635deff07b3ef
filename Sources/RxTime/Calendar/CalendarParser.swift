/// Reads a calendar expression without its zone: a shorthand, or weekdays, a date, and a time.
struct CalendarParser {
    private var scanner: Scanner
    private var dates = DatePattern()

    /// What a calendar expression means, apart from its zone.
    struct Result {
        let pattern: LocalPattern
        /// If the hour or the minute is `*`.
        let isInterval: Bool
        /// If it is a number of seconds since 1970, which is a time of UTC.
        let isAbsolute: Bool
    }

    /// Reads `text` up to the character `end`; throws the first fault.
    static func parse(_ text: String, to end: Int) throws(ExpressionFault) -> Result {
        if let expression = CalendarShorthand.expression(String(decoding: text.utf8.prefix(end), as: UTF8.self)) {
            return try parse(expression, to: expression.utf8.count)
        }
        var parser = CalendarParser(scanner: Scanner(text, to: end))
        return try parser.expression()
    }

    private init(scanner: Scanner) { self.scanner = scanner }

    private mutating func expression() throws(ExpressionFault) -> Result {
        guard !scanner.isAtEnd else {
            throw scanner.fault("expected a weekday, a date, a time, or a word such as daily")
        }
        if let weekdays = try CalendarWeekdays.read(&scanner) { dates.days.weekdays.every = weekdays }
        if scanner.next == "@" { return try absolute() }
        if scanner.isAtEnd { return try time(hour: nil) }
        let start = scanner.position
        guard let next = scanner.next, next == "*" || next.isNumber else {
            throw scanner.fault(
                start == 0
                    ? "expected a weekday, a date, a time, or a word such as daily" : "expected a date or a time")
        }
        let first = try CalendarList(&scanner)
        switch scanner.next {
        case ":": return try time(hour: first)
        case "-", "~":
            try date(first)
            if scanner.isAtEnd { return try time(hour: nil) }
            return try time(hour: CalendarList(&scanner))
        default: throw scanner.fault(scanner.isAtEnd ? "expected \"-\" or \":\"" : "expected \"-\", \":\", or \",\"")
        }
    }

    /// `@1700000000`: seconds since 1970.
    private mutating func absolute() throws(ExpressionFault) -> Result {
        let place = scanner.position
        scanner.position += 1
        let digits = scanner.digits()
        guard !digits.isEmpty else { throw scanner.fault("expected the number of seconds since 1970") }
        guard scanner.isAtEnd else { throw scanner.fault("expected the end") }
        guard let seconds = Int(String(decoding: digits, as: UTF8.self)), seconds < Instant.horizon.seconds - 86_400
        else {
            throw scanner.fault("the time is later than the year 2199", at: place)
        }
        let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let date = CivilDate(dayNumber: day)
        dates.years = YearSet([date.year])
        dates.months = NumberSet([date.month])
        dates.days.days = 1 << UInt32(date.day)
        let times = TimeOfDayPattern(
            hours: NumberSet([second / 3600]), minutes: NumberSet([second / 60 % 60]),
            seconds: .whole(NumberSet([second % 60])))
        return Result(pattern: LocalPattern(dates: dates, times: times), isInterval: false, isAbsolute: true)
    }

    /// `2026-12-24`, `12-24`, or with `~` before the day; and the spaces after it.
    private mutating func date(_ first: CalendarList) throws(ExpressionFault) {
        var lists = [first]
        var isFromEnd = false
        while !isFromEnd, lists.count < 3, scanner.next == "-" || scanner.next == "~" {
            isFromEnd = scanner.next == "~"
            scanner.position += 1
            lists.append(try CalendarList(&scanner))
        }
        guard scanner.isAtEnd || scanner.skipSpaces() > 0 else {
            throw scanner.fault(
                isFromEnd || lists.count == 3 ? "expected a space" : "expected \"-\", \"~\", or a space")
        }
        if lists.count == 3 { try setYears(lists[0]) }
        if let months = try lists[lists.count - 2].numbers(.month, scanner) { dates.months = NumberSet(months) }
        guard let days = try lists[lists.count - 1].numbers(isFromEnd ? .dayFromEnd : .day, scanner) else { return }
        let bits = days.reduce(UInt32(0)) { $0 | 1 << UInt32($1) }
        dates.days.days = isFromEnd ? 0 : bits
        dates.days.fromEnd = isFromEnd ? bits : 0
    }

    /// Two digits mean 1970 to 2069.
    private mutating func setYears(_ list: CalendarList) throws(ExpressionFault) {
        guard case .elements(var elements) = list else { return }
        func full(_ year: Int64) -> Int64 { year < 70 ? year + 2000 : year < 100 ? year + 1900 : year }
        for place in elements.indices {
            elements[place].start = full(elements[place].start)
            elements[place].stop = elements[place].stop.map(full)
        }
        dates.years = YearSet(try CalendarList.elements(elements).numbers(.year, scanner) ?? [])
    }

    /// The rest of a time of day, of which the hour has been read; midnight without one.
    private mutating func time(hour: CalendarList?) throws(ExpressionFault) -> Result {
        var hours = NumberSet([0])
        var minutes = NumberSet([0])
        var seconds = SecondSet.whole(NumberSet([0]))
        var isInterval = false
        if let hour {
            guard scanner.skip(":") else { throw scanner.fault("expected \":\" after the hour") }
            let minute = try CalendarList(&scanner)
            isInterval = hour.isAny || minute.isAny
            hours = NumberSet(try hour.numbers(.hour, scanner) ?? Array(0..<24))
            minutes = NumberSet(try minute.numbers(.minute, scanner) ?? Array(0..<60))
            if scanner.skip(":") { seconds = try self.seconds() }
            guard scanner.isAtEnd else { throw scanner.fault("expected the end of the time") }
        }
        let times = TimeOfDayPattern(hours: hours, minutes: minutes, seconds: seconds)
        return Result(pattern: LocalPattern(dates: dates, times: times), isInterval: isInterval, isAbsolute: false)
    }

    private mutating func seconds() throws(ExpressionFault) -> SecondSet {
        let list = try CalendarList(&scanner, isSecond: true)
        guard let progressions = try list.progressions(.second, scanner) else { return .whole(NumberSet(0..<60)) }
        let second = Microseconds.perSecond
        guard progressions.allSatisfy({ $0.start % second == 0 && ($0.step % second == 0 || $0.start == $0.last) })
        else {
            return .fractions(progressions)
        }
        return .whole(NumberSet(progressions.flatMap { CalendarList.numbers($0) }.map { $0 / Int(second) }))
    }
}
