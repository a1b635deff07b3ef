internal import RxTime

/// Prints the slots of expressions for `Tests/oracle/oracle.py`, which compares them with those of other programs.
///
/// Each line of the input has fields with tabs between them: `cron` or `calendar`, the expression, the zone, the number
/// of slots, and the instants to begin after, in microseconds since 1970, with spaces between them. The answer is one
/// line: for each instant its slots in microseconds, with commas between them, and spaces between these lists; or `!`
/// and the fault.
@main
struct TimeOracle {
    static func main() {
        var zones: [String: TimeZoneRules] = [:]
        while let line = readLine() {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            do {
                let zone = try zones[fields[2]] ?? ZoneFiles.system().zone(named: fields[2])
                zones[fields[2]] = zone
                let schedule = try Self.schedule(kind: fields[0], fields[1], zone)
                let starts = fields[4].split(separator: " ").map { Instant(microseconds: Int64($0)!) }
                print(starts.map { Self.slots(schedule, Int(fields[3])!, after: $0) }.joined(separator: " "))
            } catch {
                print("!\(error)")
            }
        }
    }

    private static func schedule(kind: String, _ text: String, _ zone: TimeZoneRules) throws -> Schedule {
        if kind == "cron" { return try CronExpression(text).schedule(in: zone) }
        let expression = try CalendarExpression(text)
        return expression.schedule(in: try expression.zone?.rules(local: zone, files: .system()) ?? zone)
    }

    private static func slots(_ schedule: Schedule, _ count: Int, after start: Instant) -> String {
        let slots = schedule.slots(after: start, through: .horizon).prefix(count)
        return "[" + slots.map { "\($0.microseconds)" }.joined(separator: ",") + "]"
    }
}
