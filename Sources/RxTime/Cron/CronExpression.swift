/// An expression of cron: five fields (minute, hour, day of the month, month, weekday), six with seconds first, or a
/// word such as `@daily`.
///
/// Fields have numbers, names, ranges, steps, and lists, as in crontab(5); days of the month also `L` (the last day),
/// and weekdays `5L` (the last Friday) and `5#2` (the second Friday). As in Debian's cron, a day must match both the
/// day of the month and the weekday if one of these fields begins with `*`; otherwise one of them suffices.
public struct CronExpression: Hashable, Sendable {
    /// The expression as it was written.
    public let text: String
    /// If the hour or the minute begins with `*`: such a schedule has a slot whenever the local time matches.
    public let isInterval: Bool
    private let pattern: LocalPattern

    /// Reads an expression; throws the first fault, with its position.
    public init(_ text: String) throws(ExpressionFault) {
        let expression = text.hasPrefix("@") ? try CronWord.expression(text) : text
        var scanner = Scanner(expression)
        scanner.skipSpaces()
        guard !scanner.isAtEnd else { throw scanner.fault("expected 5 or 6 fields or a word such as @daily") }
        let count = Self.fieldCount(scanner)
        guard count == 5 || count == 6 else {
            throw scanner.fault("expected 5 or 6 fields, found \(count)", at: expression.utf8.count)
        }
        let second = count == 6 ? try Self.list(.second, &scanner).numbers : NumberSet([0])
        let minute = try Self.list(.minute, &scanner)
        let hour = try Self.list(.hour, &scanner)
        let day = try Self.list(.day, &scanner)
        let month = try Self.list(.month, &scanner)
        let weekday = try Self.list(.weekday, &scanner)
        let dates = DatePattern(years: .all, months: month.numbers, days: CronDays.rule(day: day, weekday: weekday))
        let times = TimeOfDayPattern(hours: hour.numbers, minutes: minute.numbers, seconds: .whole(second))
        self.text = text
        isInterval = hour.beginsWithStar || minute.beginsWithStar
        pattern = LocalPattern(dates: dates, times: times)
        if pattern.isEmpty { throw .never(text) }
    }

    /// The slots of the expression in a zone.
    public func schedule(in zone: TimeZoneRules) -> Schedule {
        .wallClock(WallClockSchedule(pattern: pattern, zone: zone, isInterval: isInterval))
    }

    private static func list(_ field: CronField, _ scanner: inout Scanner) throws(ExpressionFault) -> CronList {
        let list = try CronList(field, &scanner)
        scanner.skipSpaces()
        return list
    }

    private static func fieldCount(_ scanner: Scanner) -> Int {
        scanner.text.utf8.split { $0 == 0x20 || $0 == 0x09 }.count
    }
}
