/// The elements of one field of a cron expression, separated by commas: `*`, `5`, `1-5`, and each with a step, `*/15`.
struct CronList {
    /// The numbers of all elements.
    private(set) var numbers = NumberSet()
    /// `L` as a day of the month.
    private(set) var hasLastDay = false
    /// `5L`: weekdays of which the last of the month is meant.
    private(set) var lastWeekdays: [Int] = []
    /// `5#2`: weekdays and which of the month is meant, from 1.
    private(set) var numberedWeekdays: [(weekday: Int, number: Int)] = []
    /// If the field begins with `*`.
    let beginsWithStar: Bool

    /// Reads the field up to a space or the end.
    init(_ field: CronField, _ scanner: inout Scanner) throws(ExpressionFault) {
        beginsWithStar = scanner.next == "*"
        repeat { try read(field, &scanner) } while scanner.skip(",")
        guard scanner.isAtEnd || scanner.next == " " || scanner.next == "\t" else {
            throw scanner.fault("expected \",\", \"-\", \"/\", or the end of the field \(field.name)")
        }
    }

    private mutating func read(_ field: CronField, _ scanner: inout Scanner) throws(ExpressionFault) {
        if field.name == CronField.day.name, scanner.skip("L") {
            hasLastDay = true
            return
        }
        let place = scanner.position
        var range = field.values
        if !scanner.skip("*") {
            let first = try field.value(&scanner)
            if field.name == CronField.weekday.name, try readWeekday(first, &scanner) { return }
            range = first...first
            if scanner.skip("-") {
                let last = try field.value(&scanner)
                guard first <= last else {
                    let hint = field.name == CronField.weekday.name && last == 0 ? "; at its end, Sunday is 7" : ""
                    throw scanner.fault("the range ends before it begins" + hint, at: place)
                }
                range = first...last
            } else if scanner.next == "/" {
                // A single number with a step goes on to the field's end.
                range = first...field.values.upperBound
            }
        }
        var step = 1
        if scanner.skip("/") {
            let place = scanner.position
            guard let number = scanner.number(), number > 0 else {
                throw scanner.fault("expected a step of at least 1", at: place)
            }
            step = number
        }
        numbers.formUnion(NumberSet(stride(from: range.lowerBound, through: range.upperBound, by: step)))
    }

    /// Reads `L` or `#2` after a weekday; false if neither is there.
    private mutating func readWeekday(_ weekday: Int, _ scanner: inout Scanner) throws(ExpressionFault) -> Bool {
        if scanner.skip("L") {
            lastWeekdays.append(weekday)
            return true
        }
        guard scanner.skip("#") else { return false }
        let place = scanner.position
        guard let number = scanner.number(), (1...5).contains(number) else {
            throw scanner.fault("expected which of the month, from 1 to 5", at: place)
        }
        numberedWeekdays.append((weekday, number))
        return true
    }
}
