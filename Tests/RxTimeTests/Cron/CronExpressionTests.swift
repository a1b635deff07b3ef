import RxTime
import Testing

@Suite("Cron expressions")
struct CronExpressionTests {
    private func schedule(_ text: String) throws -> Schedule { try CronExpression(text).schedule(in: .utc) }

    @Test(
        "fields have numbers, names, ranges, steps, and lists",
        arguments: [
            ("*/15 * * * *", "0,15,30,45 * * * *"), ("0 8-10 * * *", "0 8,9,10 * * *"),
            ("0 0-23/6 * * *", "0 0,6,12,18 * * *"), ("0 20/2 * * *", "0 20,22 * * *"),
            ("0 0 1-31/10 * *", "0 0 1,11,21,31 * *"), ("0 0 * JAN,mar *", "0 0 * 1,3 *"),
            ("0 0 * jan-mar *", "0 0 * 1-3 *"), ("0 0 * * MON-FRI", "0 0 * * 1-5"), ("0 0 * * 7", "0 0 * * sun"),
            ("0 0 * * 5-7", "0 0 * * 0,5,6"), ("0 0 * * 0-7", "0 0 * * *"), ("0 0 * * tue/2", "0 0 * * 2,4,6"),
            ("5,7-9,50/5 0 * * *", "5,7,8,9,50,55 0 * * *"), ("*,5 0 * * *", "* 0 * * *"),
            ("  0\t0  *   * * ", "0 0 * * *"), ("*/90 0 * * *", "*/60 0 * * *"),
            ("0 */5 * * * *", "*/5 * * * *"), ("@yearly", "0 0 1 1 *"), ("@annually", "0 0 1 1 *"),
            ("@monthly", "0 0 1 * *"), ("@weekly", "0 0 * * 0"), ("@daily", "0 0 * * *"),
            ("@midnight", "0 0 * * *"), ("@Hourly", "0 * * * *"),
        ])
    func meaning(text: String, other: String) throws { #expect(try schedule(text) == schedule(other)) }

    @Test(
        "the day of the month and the weekday combine as in Debian's cron",
        arguments: [
            // Neither begins with a star: one suffices.
            ("0 0 13 * 5", ["2026-11-13", "2026-11-20", "2026-11-27", "2026-12-04", "2026-12-11", "2026-12-13"]),
            // One is a star.
            ("0 0 13 * *", ["2026-11-13", "2026-12-13", "2027-01-13"]),
            ("0 0 * * 5", ["2026-11-13", "2026-11-20", "2026-11-27"]),
            // One begins with a star: both.
            ("0 0 */13 * 5", ["2026-11-27", "2027-01-01", "2027-05-14"]),
            ("0 0 13 * */5", ["2026-11-13", "2026-12-13", "2027-06-13"]),
        ])
    func days(text: String, dates: [String]) throws {
        let slots = try schedule(text).texts(dates.count, after: "2026-11-12T00:00:00Z")
        #expect(slots.map { String($0.prefix(10)) } == dates)
    }

    @Test(
        "L is the last day, 5L the last Friday, 5#2 the second",
        arguments: [
            ("0 0 L * *", ["2026-11-30", "2026-12-31", "2027-01-31", "2027-02-28"]),
            ("0 0 15,L 2 *", ["2027-02-15", "2027-02-28", "2028-02-15", "2028-02-29"]),
            ("0 0 * * 5L", ["2026-11-27", "2026-12-25", "2027-01-29", "2027-02-26"]),
            ("0 0 * * friL", ["2026-11-27", "2026-12-25", "2027-01-29", "2027-02-26"]),
            ("0 0 * * 7L", ["2026-11-29", "2026-12-27", "2027-01-31", "2027-02-28"]),
            ("0 0 * * 5#2", ["2026-11-13", "2026-12-11", "2027-01-08", "2027-02-12"]),
            ("0 0 * * mon#5", ["2026-11-30", "2027-03-29", "2027-05-31", "2027-08-30"]),
            ("0 0 * * 1#1,3", ["2026-11-18", "2026-11-25", "2026-12-02", "2026-12-07"]),
            ("0 0 L * 0#1", ["2026-11-30", "2026-12-06", "2026-12-31", "2027-01-03"]),
        ])
    func lastAndNumbered(text: String, dates: [String]) throws {
        let slots = try schedule(text).texts(4, after: "2026-11-12T00:00:00Z")
        #expect(slots.map { String($0.prefix(10)) } == dates)
    }

    @Test("a sixth field in front has seconds")
    func seconds() throws {
        #expect(
            try schedule("*/20 30 12 * * *").texts(4, after: "2026-11-12T12:30:00Z") == [
                "2026-11-12T12:30:20+00:00", "2026-11-12T12:30:40+00:00", "2026-11-13T12:30:00+00:00",
                "2026-11-13T12:30:20+00:00",
            ])
    }

    @Test("an expression is an interval if its hour or minute begins with *")
    func intervals() throws {
        for text in ["*/30 2 * * *", "0 * * * *", "0 */2 * * *", "*,5 2 * * *", "0 * 2 * * *", "@hourly"] {
            #expect(try CronExpression(text).isInterval)
        }
        for text in ["0,30 2 * * *", "0 0-23 * * *", "* 30 2 * * *", "@daily"] {
            #expect(try !CronExpression(text).isInterval)
        }
    }

    @Test(
        "an error names the place and what is expected there",
        arguments: [
            ("", 0, "expected 5 or 6 fields"), ("* * * *", 7, "found 4"), ("* * * * * * *", 13, "found 7"),
            ("60 * * * *", 0, "minute 60 is not from 0 to 59"), ("0 24 * * *", 2, "hour 24 is not from 0 to 23"),
            ("0 0 0 * *", 4, "day of the month 0 is not from 1 to 31"), ("0 0 * 13 *", 6, "month 13 is not"),
            ("0 0 * * 8", 8, "weekday 8 is not from 0 to 7"), ("x * * * *", 0, "expected a minute, from 0 to 59"),
            ("0 x * * *", 2, "expected an hour"), ("0 0 * foo *", 6, "or a name such as jan"),
            ("0 0 * * frx", 8, "expected a weekday"), ("5-3 * * * *", 0, "ends before it begins"),
            ("0 0 * * fri-sun", 8, "at its end, Sunday is 7"), ("*/0 * * * *", 2, "expected a step"),
            ("*/x * * * *", 2, "expected a step"), ("1- * * * *", 2, "expected a minute"),
            ("1,,2 * * * *", 2, "expected a minute"), ("1;2 * * * *", 1, "the end of the field minute"),
            ("0 0 LW * *", 5, "the end of the field day of the month"), ("0 0 * * 5#6", 10, "from 1 to 5"),
            ("0 0 * * 5#", 10, "from 1 to 5"), ("L 0 * * *", 0, "expected a minute"),
            ("0 0 ? * *", 4, "expected a day of the month"), ("@reboot", 0, "`start = true`"),
            ("@often", 0, "expected @yearly"), ("0 0 * * 1-5#2", 11, "the end of the field weekday"),
        ])
    func faults(text: String, position: Int, reason: String) {
        let fault = #expect(throws: ExpressionFault.self) { try CronExpression(text) }
        #expect(fault?.position == position)
        #expect(fault?.reason.contains(reason) == true, "\(fault?.reason ?? "")")
    }

    @Test("an expression that can never occur is a fault", arguments: ["0 0 30 2 *", "0 0 31 4,6 *"])
    func never(text: String) {
        let fault = #expect(throws: ExpressionFault.self) { try CronExpression(text) }
        #expect(fault?.isNever == true)
    }

    @Test("February 30 or a Monday is possible")
    func either() throws {
        #expect(try schedule("0 0 30 2 1").texts(1, after: "2026-11-12T00:00:00Z") == ["2027-02-01T00:00:00+00:00"])
    }
}
