/// A field of a calendar expression: its name for messages, and the values that it may have.
struct CalendarField {
    let name: String
    let values: ClosedRange<Int64>
    /// If the values are microseconds of a minute.
    var isSecond = false
    /// If the values are days counted from the end of a month.
    var isFromEnd = false

    static let year = CalendarField(name: "year", values: 1970...2199)
    static let month = CalendarField(name: "month", values: 1...12)
    static let day = CalendarField(name: "day", values: 1...31)
    /// Every month has these days before its end.
    static let dayFromEnd = CalendarField(name: "day from the end of the month", values: 1...28, isFromEnd: true)
    static let hour = CalendarField(name: "hour", values: 0...23)
    static let minute = CalendarField(name: "minute", values: 0...59)
    static let second = CalendarField(name: "second", values: 0...Microseconds.perMinute - 1, isSecond: true)

    /// The numbers of an element; throws a fault if the element goes beyond what the field allows.
    ///
    /// The bounds are those of systemd: a repetition must be able to occur at least once.
    func progression(_ element: CalendarElement, _ scanner: Scanner) throws(ExpressionFault) -> Progression {
        let (start, position) = (element.start, element.position)
        guard values.contains(start) else {
            throw scanner.fault("\(name) \(text(start)) is not \(allowed)", at: position)
        }
        guard let stop = element.stop else {
            guard let step = element.step else { return Progression(start: start, most: start, step: 1) }
            return try repetition(from: start, by: step, scanner, at: position)
        }
        guard start <= stop else {
            throw scanner.fault("the range \(text(start))..\(text(stop)) ends before it begins", at: position)
        }
        // Seconds are repeated by whole ones unless the expression has a repetition, so there must be room for one.
        guard !isSecond || element.step != nil || start + Microseconds.perSecond <= stop else {
            throw scanner.fault(
                "the range \(text(start))..\(text(stop)) is shorter than a second; add a repetition", at: position)
        }
        let step = element.step ?? (isSecond ? Microseconds.perSecond : 1)
        let progression = Progression(start: start, most: stop, step: step)
        guard values.contains(progression.last) else {
            throw scanner.fault("\(name) \(text(stop)) is not \(allowed)", at: position)
        }
        return progression
    }

    private func repetition(
        from start: Int64, by step: Int64, _ scanner: Scanner, at position: Int
    ) throws(ExpressionFault) -> Progression {
        let next = isFromEnd ? start - step : start + step
        guard values.contains(next) else {
            throw scanner.fault(
                "\(text(start))/\(text(step)) never repeats: \(text(next)) is not \(allowed)", at: position)
        }
        // Days before the end of a month are repeated toward its end.
        return isFromEnd
            ? Progression(start: (start - 1) % step + 1, most: start, step: step)
            : Progression(start: start, most: values.upperBound, step: step)
    }

    private var allowed: String { "from \(text(values.lowerBound)) to \(text(values.upperBound))" }

    private func text(_ value: Int64) -> String {
        guard isSecond else { return "\(value)" }
        let (seconds, fraction) = value.quotientAndRemainder(dividingBy: Microseconds.perSecond)
        return fraction == 0 ? "\(seconds)" : "\(seconds)." + String("\(fraction + Microseconds.perSecond)".dropFirst())
    }
}
