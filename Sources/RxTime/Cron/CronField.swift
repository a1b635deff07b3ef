/// A field of a cron expression: its name for messages, the numbers that it may have, and their names.
struct CronField {
    let name: String
    let values: ClosedRange<Int>
    /// The names of the numbers from the first one on; three letters each.
    var names: [String] = []

    static let second = CronField(name: "second", values: 0...59)
    static let minute = CronField(name: "minute", values: 0...59)
    static let hour = CronField(name: "hour", values: 0...23)
    static let day = CronField(name: "day of the month", values: 1...31)
    static let month = CronField(
        name: "month", values: 1...12,
        names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])
    /// 0 and 7 are Sunday.
    static let weekday = CronField(
        name: "weekday", values: 0...7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"])

    /// Reads a number or a name.
    func value(_ scanner: inout Scanner) throws(ExpressionFault) -> Int {
        let place = scanner.position
        if let number = scanner.number() {
            guard values.contains(number) else {
                throw scanner.fault(
                    "\(name) \(number) is not from \(values.lowerBound) to \(values.upperBound)", at: place)
            }
            return number
        }
        for (offset, name) in names.enumerated() where scanner.skip(name) { return values.lowerBound + offset }
        throw scanner.fault(
            "expected \(name == "hour" ? "an" : "a") \(name), from \(values.lowerBound) to \(values.upperBound)"
                + (names.first.map { " or a name such as \($0)" } ?? ""))
    }
}
