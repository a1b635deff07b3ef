import RxTime
import Testing

@Suite("Calendar expressions")
struct CalendarExpressionTests {
    private func schedule(_ text: String) throws -> Schedule { try CalendarExpression(text).schedule(in: .utc) }

    @Test(
        "the examples of systemd.time(7) mean what it states",
        arguments: [
            ("minutely", "*-*-* *:*:00"), ("hourly", "*-*-* *:00:00"), ("daily", "*-*-* 00:00:00"),
            ("monthly", "*-*-01 00:00:00"), ("weekly", "Mon *-*-* 00:00:00"), ("yearly", "*-01-01 00:00:00"),
            ("annually", "*-01-01 00:00:00"), ("quarterly", "*-01,04,07,10-01 00:00:00"),
            ("semiannually", "*-01,07-01 00:00:00"), ("Semi-Annually", "*-01,07-01 00:00:00"),
            ("Sat,Thu,Mon..Wed,Sat..Sun", "Mon..Thu,Sat,Sun *-*-* 00:00:00"),
            ("Mon,Sun 12-*-* 2,1:23", "Mon,Sun 2012-*-* 01,02:23:00"),
            ("Wed *-1", "Wed *-*-01 00:00:00"), ("Wed..Wed,Wed *-1", "Wed *-*-01 00:00:00"),
            ("Wed, 17:48", "Wed *-*-* 17:48:00"),
            ("Wed..Sat,Mon 12-10-15 1:2:3", "Mon,Wed..Sat 2012-10-15 01:02:03"),
            ("*-*-7 0:0:0", "*-*-07 00:00:00"), ("10-15", "*-10-15 00:00:00"),
            ("monday *-12-* 17:00", "Mon *-12-* 17:00:00"),
            ("Mon,Fri *-*-3,1,2 *:30:45", "Mon,Fri *-*-01,02,03 *:30:45"),
            ("12,14,13,12:20,10,30", "*-*-* 12,13,14:10,20,30:00"),
            ("12..14:10,20,30", "*-*-* 12,13,14:10,20,30:00"),
            ("mon,fri *-1/2-1,3 *:30:45", "Mon,Fri *-01,03,05,07,09,11-01,03 *:30:45"),
            ("03-05 08:05:40", "*-03-05 08:05:40"), ("08:05:40", "*-*-* 08:05:40"), ("05:40", "*-*-* 05:40:00"),
            ("Sat,Sun 12-05 08:05:40", "Sat,Sun *-12-05 08:05:40"), ("Sat,Sun 08:05:40", "Sat,Sun *-*-* 08:05:40"),
            ("2003-03-05 05:40", "2003-03-05 05:40:00"), ("2003-03-05", "2003-03-05 00:00:00"),
            ("05:40:23.4200004/3.1700005", "*-*-* 05:40:23.420000/3.170001"),
            ("2003-02..04-05", "2003-02,03,04-05 00:00:00"), ("*:2/3", "*-*-* *:02/3:00"),
            // More of the grammar.
            ("Mon-Fri", "Mon,Tue,Wed,Thu,Fri *-*-* 00:00:00"), ("Mon,", "Mon *-*-* 00:00:00"),
            ("MONDAY..sunday 1:00", "*-*-* 01:00:00"), ("69-01-01", "2069-01-01"), ("70-01-01", "1970-01-01"),
            ("99..2001-01-01", "1999,2000,2001-01-01"), ("2020/4-02-29", "2020/4-2-29 0:0"),
            ("0..23/6:00", "0,6,12,18:00"), ("0/6:00", "0,6,12,18:00"), ("1..8/3:00", "1,4,7:00"),
            ("*-*-* 8..8:5..7/9", "8:5"), ("*:*:*", "*:*:0..59"),
            ("*:*:0/30.0", "*:*:0,30"), ("*-*~*", "*-*-*"), ("*-*-01 *:*:59.9999994", "*-*-01 *:*:59.999999"),
            ("@1700000000", "2023-11-14 22:13:20"), ("@0", "1970-01-01"),
            ("Tue @1700000000", "Tue 2023-11-14 22:13:20"),
            ("anually", "*-01-01"), ("biannually", "*-01,07-01"), ("*-*-*   1:2", "1:2"),
        ])
    func meaning(text: String, normalized: String) throws {
        #expect(try schedule(text) == schedule(normalized))
    }

    @Test("a range may end beyond the bounds if its repetition does not get there")
    func longRange() throws {
        #expect(try schedule("*:55..62/10") == schedule("*:55"))
    }

    @Test(
        "days are counted from the end of the month",
        arguments: [
            ("*-02~03", ["2027-02-26", "2028-02-27", "2029-02-26"]),
            ("*-*~01", ["2026-11-30", "2026-12-31", "2027-01-31"]),
            ("Mon *-05~07/1", ["2027-05-31", "2028-05-29", "2029-05-28"]),
            ("*-02~1..3", ["2027-02-26", "2027-02-27", "2027-02-28"]),
            ("*-02~7/3", ["2027-02-22", "2027-02-25", "2027-02-28"]),
            ("02~1", ["2027-02-28", "2028-02-29", "2029-02-28"]),
        ])
    func endOfMonth(text: String, dates: [String]) throws {
        #expect(try schedule(text).texts(3, after: "2026-11-05T00:00:00Z").map { String($0.prefix(10)) } == dates)
    }

    @Test("fractions of seconds are kept to the microsecond")
    func fractions() throws {
        let slots = try schedule("*:*:0/7.5").texts(9, after: "2026-01-01T00:00:00Z")
        #expect(
            slots.map { String($0.dropFirst(17).dropLast(6)) } == [
                "07.500", "15", "22.500", "30", "37.500", "45", "52.500", "00", "07.500",
            ])
        #expect(
            try schedule("*:*:1.000001..2/0.5").texts(2, after: "2026-01-01T00:00:00Z") == [
                "2026-01-01T00:00:01.000001+00:00", "2026-01-01T00:00:01.500001+00:00",
            ])
    }

    @Test("an expression is an interval if its hour or minute is *")
    func intervals() throws {
        for text in ["hourly", "minutely", "*:0/30", "*:00", "02:*", "*-*-* *:30:00"] {
            #expect(try CalendarExpression(text).isInterval)
        }
        for text in ["daily", "02:30", "0..23:00", "00/1:30", "02:30:*", "Mon", "@0"] {
            #expect(try !CalendarExpression(text).isInterval)
        }
    }

    @Test("a zone may end the expression", arguments: ["UTC", "Europe/Berlin", "CET", "EST5EDT", "+01", "utc"])
    func zones(name: String) throws {
        for text in ["daily", "Mon", "*-12-24 18:00", "12:00"] {
            let expression = try CalendarExpression(text + " " + name)
            #expect(expression.zone?.name == name)
            #expect(expression.zone?.position == text.count + 1)
            #expect(try expression.schedule(in: .utc) == schedule(text))
        }
    }

    @Test("UTC, the abbreviations of the local zone, and then names of tzdata are zones")
    func zoneRules() throws {
        let files = ZoneFiles.system()
        let berlin = try zone("Europe/Berlin")
        func rules(_ name: String, local: TimeZoneRules) throws -> TimeZoneRules? {
            try CalendarExpression("12:00 " + name).zone?.rules(local: local, files: files)
        }
        #expect(try rules("UTC", local: berlin) == .utc)
        #expect(try rules("Asia/Tokyo", local: berlin) == zone("Asia/Tokyo"))
        let instant = try at("2026-01-01T00:00:00Z")
        #expect(try rules("CEST", local: berlin)?.period(at: instant).offset == 7200)
        #expect(try rules("cet", local: berlin)?.period(at: at("2026-07-01T00:00:00Z")).offset == 3600)
        #expect(try rules("CET", local: .utc) == zone("CET"))
        #expect(throws: ZoneFault.unknown("CEST")) { try rules("CEST", local: .utc) }
        #expect(throws: ZoneFault.unknown("Thu")) { try rules("Thu", local: .utc) }
        #expect(try CalendarExpression("12:00").zone == nil)
        #expect(try CalendarExpression("@1700000000").zone?.name == "UTC")
    }

    @Test(
        "an error names the place and what is expected there",
        arguments: [
            ("", 0, "expected a weekday, a date, a time"), (" daily", 0, "expected a weekday"),
            ("dayly", 0, "expected a weekday"), ("Mon ?", 4, "expected a date or a time"),
            ("Month", 3, "after the weekday"), ("Mon.Fri", 3, "after the weekday"), ("Mon..", 5, "expected a weekday"),
            ("Mon..Wed..Fri", 8, "after the weekday"), ("Sat..Mon 1:00", 3, "ends before it begins; the week"),
            ("Mon,1:00", 4, "expected a weekday"), ("5", 1, "expected \"-\" or \":\""),
            ("5 6", 1, "expected \"-\", \":\", or \",\""), ("25:00", 0, "hour 25 is not from 0 to 23"),
            ("12:60", 3, "minute 60 is not from 0 to 59"), ("12:00:60", 6, "second 60 is not from 0 to 59.999999"),
            ("12:00:59.9999995", 6, "second 60 is not"), ("12:", 3, "expected a number or *"),
            ("12:00:", 6, "expected a number or *"), ("12:00:1.", 8, "expected a digit"),
            ("12:00:00:00", 8, "expected the end of the time"), ("12:00 13:00", 5, "expected the end of the time"),
            ("*-*-32", 4, "day 32 is not from 1 to 31"), ("*-13-01", 2, "month 13 is not from 1 to 12"),
            ("*-0-01", 2, "month 0 is not"), ("1969-01-01", 0, "year 1969 is not from 1970 to 2199"),
            ("2200-01-01", 0, "year 2200 is not"),
            ("*-*~29", 4, "day from the end of the month 29 is not from 1 to 28"),
            ("*~*-1", 3, "expected a space"), ("*-*-1-1", 5, "expected a space"), ("*-1,", 4, "expected a number or *"),
            ("*/2:00", 1, "expected"), ("0/0:00", 2, "a repetition of 0"), ("*:50/30", 2, "never repeats: 80 is not"),
            ("*-*~3/3", 4, "never repeats: 0 is not"), ("5..3:00", 0, "the range 5..3 ends before it begins"),
            ("0..70/30:00", 0, "hour 70 is not"), ("*:*:0.5..0.9", 4, "shorter than a second"),
            ("*:*:10..10", 4, "shorter than a second"), ("1..:00", 3, "expected a number or *"),
            ("*-*-*T1:00", 5, "expected a space"), ("@", 1, "the number of seconds"), ("@1x", 2, "expected the end"),
            ("@99999999999", 0, "later than the year 2199"), ("@1 Europe/Berlin", 3, "cannot have a time zone"),
            ("*-*-*\u{e9}", 5, "expected a space"),
        ])
    func faults(text: String, position: Int, reason: String) throws {
        let fault = #expect(throws: ExpressionFault.self) { try CalendarExpression(text) }
        #expect(fault?.position == position)
        #expect(fault?.reason.contains(reason) == true, "\(fault?.reason ?? "")")
        #expect(fault?.isNever == false)
        #expect(fault?.description.contains("character \(position + 1): ") == true)
    }

    @Test(
        "an expression that can never occur is a fault",
        arguments: [
            "*-02-30", "2026-02-29", "Mon 2026-12-24", "Wed..Sat,Tue 12-10-15 1:2:3", "*-04,06-31",
            "2027..2030/2-02-29",
        ])
    func never(text: String) {
        let fault = #expect(throws: ExpressionFault.self) { try CalendarExpression(text) }
        #expect(fault?.isNever == true)
    }

    @Test("an expression whose times are all over is valid and has no next slot")
    func over() throws {
        #expect(try schedule("2020-01-01").next(after: at("2026-01-01T00:00:00Z")) == nil)
        #expect(try schedule("2020-01-01").previous(before: at("2026-01-01T00:00:00Z")) == at("2020-01-01T00:00:00Z"))
    }

    @Test("a list has at most 240 elements")
    func longList() {
        let list = String(repeating: "1,", count: 239)
        #expect(throws: Never.self) { try CalendarExpression(list + "1:00") }
        #expect(throws: ExpressionFault.self) { try CalendarExpression(list + "1,1:00") }
    }

    @Test("any text is read or refused")
    func noise() {
        var numbers = SplitMix(seed: 3)
        let parts = [
            "Mon", "..", ",", "*", "-", "~", ":", "/", "0", "31", "2026", ".", " ", "@", "UTC", "é", "99999999999",
        ]
        var valid = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &numbers)).map { _ in parts.randomElement(using: &numbers)! }
                .joined()
            guard let expression = try? CalendarExpression(text) else { continue }
            valid += 1
            #expect(expression.schedule(in: .utc).next(after: .beginning) != nil)
        }
        #expect(valid > 100)
    }
}
