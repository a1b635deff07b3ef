import Testing

@testable import RxSources

struct JournalRuleTests {
    @Test("a range is one match for each number, and so is each of several values")
    func matches() throws {
        #expect(
            try JournalRule(["PRIORITY": ["0..3"], "_SYSTEMD_UNIT": ["nginx.service", "b.service"]]).matches == [
                "PRIORITY=0", "PRIORITY=1", "PRIORITY=2", "PRIORITY=3", "_SYSTEMD_UNIT=nginx.service",
                "_SYSTEMD_UNIT=b.service",
            ])
        #expect(try JournalRule(["MESSAGE": ["1..x", "a..b", "..", "1..", "-1..2"]]).matches.count == 5)
        #expect(try JournalRule(["_UID": ["7..7"]]).matches == ["_UID=7"])
        #expect(try JournalRule([:]).matches.isEmpty)
    }

    @Test(
        "what can match no record is a fault",
        arguments: [
            ("priority", "3", #""priority" is not a field of the journal; write one such as _SYSTEMD_UNIT"#),
            ("__CURSOR", "x", #""__CURSOR" is not a field of the journal; write one such as _SYSTEMD_UNIT"#),
            ("", "x", #""" is not a field of the journal; write one such as _SYSTEMD_UNIT"#),
            ("1A", "x", #""1A" is not a field of the journal; write one such as _SYSTEMD_UNIT"#),
            ("PRIORITY", "err", #""err" is not a priority; write 0 (emerg) to 7 (debug)"#),
            ("PRIORITY", "3..8", #""3..8" is not a priority; write 0 (emerg) to 7 (debug)"#),
            ("PRIORITY", "3..0", "3..0 is empty; write the smaller number first"),
            ("_UID", "0..1000", "0..1000 has more than 1000 numbers"),
        ])
    func faults(field: String, value: String, message: String) {
        let fault = #expect(throws: JournalRule.Fault.self) { try JournalRule([field: [value]]) }
        #expect(fault?.description == message)
        #expect(fault?.field == field)
    }
}
