/// The weekdays at the beginning of a calendar expression: `Mon`, `Mon..Fri`, or `Sat,Sunday`.
enum CalendarWeekdays {
    private static let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// Reads weekdays and the spaces after them; bit 0 is Monday. Nil, with nothing read, if the expression does not
    /// begin with one.
    static func read(_ scanner: inout Scanner) throws(ExpressionFault) -> UInt8? {
        guard let first = try weekday(&scanner) else { return nil }
        var weekdays: UInt8 = 0
        var start = first
        while true {
            let place = scanner.position
            // A hyphen is how early versions of systemd wrote a range.
            if scanner.skip("..") || scanner.skip("-") {
                guard let stop = try weekday(&scanner) else { throw scanner.fault("expected a weekday, such as Fri") }
                guard start <= stop else {
                    throw scanner.fault("the range ends before it begins; the week begins on Monday", at: place)
                }
                for day in start...stop { weekdays |= 1 << UInt8(day) }
            } else {
                weekdays |= 1 << UInt8(start)
            }
            if scanner.isAtEnd || scanner.skipSpaces() > 0 { return weekdays }
            guard scanner.skip(",") else { throw scanner.fault("expected \",\", \"..\", or a space after the weekday") }
            if scanner.isAtEnd || scanner.skipSpaces() > 0 { return weekdays }
            guard let next = try weekday(&scanner) else { throw scanner.fault("expected a weekday, such as Fri") }
            start = next
        }
    }

    /// The number of a weekday, from 0 for Monday; nil if there is none.
    private static func weekday(_ scanner: inout Scanner) throws(ExpressionFault) -> Int? {
        for (number, name) in names.enumerated() where scanner.skip(name) || scanner.skip(String(name.prefix(3))) {
            guard scanner.next.map({ " -.,".contains($0) }) ?? true else {
                throw scanner.fault("expected \",\", \"..\", or a space after the weekday")
            }
            return number
        }
        return nil
    }
}
