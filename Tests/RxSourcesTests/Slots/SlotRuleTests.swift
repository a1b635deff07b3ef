import RxTime
import Testing

@testable import RxSources

@Suite("A rule of slots")
struct SlotRuleTests {
    private let machine = MachineZone { () throws(ZoneFault) in .utc }
    private let files = ZoneFiles.system()

    private func fault(_ body: () throws -> Void) -> SlotFault? {
        do { try body() } catch { return error as? SlotFault }
        return nil
    }

    @Test("is read from the text of its key")
    func read() throws {
        #expect(try SlotRule.every("15m") == .every(microseconds: 900_000_000))
        #expect(try SlotRule.every("24h").text == "1d")
        #expect(try SlotRule.calendar("Mon..Fri 08:00").text == "Mon..Fri 08:00")
        #expect(try SlotRule.cron("0 3 * * *").key == "cron")
        #expect(try SlotRule.at("2026-12-24T18:00:00").key == "at")
    }

    @Test("has a fault with the key, the place, and what to do")
    func faults() {
        #expect(
            fault { _ = try SlotRule.every("soon") }?.description
                == "every: \"soon\" is not a duration; use one such as 500ms, 15m, 1h30m, or 7d")
        #expect(
            fault { _ = try SlotRule.every("36h") }?.description
                == "every: \"36h\": a duration above one day must be whole days, such as 2d")
        #expect(fault { _ = try SlotRule.every("50ms") }?.message.contains("use 100ms or more") == true)
        let cron = fault { _ = try SlotRule.cron("0 25 * * *") }
        #expect(cron?.key == "cron" && cron?.position == 2)
        #expect(
            fault { _ = try SlotRule.cron("@reboot") }?.description
                == "cron: \"@reboot\" is not a time; use start = true, which emits once at each start")
        #expect(fault { _ = try SlotRule.at("2026-13-01T00:00") }?.position == 5)
    }

    @Test("that can never occur is a fault about the whole text")
    func never() {
        let fault = fault { _ = try SlotRule.calendar("*-02-30") }
        #expect(fault?.isNever == true)
        #expect(fault?.position == nil)
    }

    @Test("has the zone of its key, of its expression, or of the machine")
    func zones() throws {
        let plain = try SlotRule.calendar("08:00")
        #expect(try plain.zone(named: "Asia/Tokyo", machine: machine, files: files).rules.name == "Asia/Tokyo")
        #expect(try plain.zone(named: nil, machine: machine, files: files).rules == .utc)
        let own = try SlotRule.calendar("08:00 Europe/Berlin")
        #expect(try own.zone(named: nil, machine: machine, files: files).rules.name == "Europe/Berlin")
    }

    @Test("with two zones, or with one that does not exist, is a fault")
    func zoneFaults() throws {
        let own = try SlotRule.calendar("08:00 Europe/Berlin")
        #expect(
            fault { _ = try own.zone(named: "UTC", machine: machine, files: files) }?.description
                == "zone: the expression \"08:00 Europe/Berlin\" has a zone, Europe/Berlin; remove one of the two")
        let wrong = try SlotRule.calendar("08:00 Europe/Berlim")
        let fault = fault { _ = try wrong.zone(named: nil, machine: machine, files: files) }
        #expect(fault?.key == "calendar" && fault?.position == 6)
        #expect(
            self.fault { _ = try SlotRule.every("1d").zone(named: "Nowhere", machine: machine, files: files) }?.key
                == "zone")
    }

    @Test("warns if it has no slot in the future")
    func warnings() throws {
        let now = try at("2026-12-24T18:00:00Z")
        let zone = SlotZone.named(.utc)
        #expect(
            try SlotRule.at("2026-12-24T18:00:00").warnings(in: zone, at: now)
                == ["at: the time 2026-12-24T18:00:00 has passed"])
        #expect(try SlotRule.at("2026-12-24T18:00:01").warnings(in: zone, at: now).isEmpty)
        #expect(
            try SlotRule.calendar("2025-*-* 08:00").warnings(in: zone, at: now)
                == ["calendar: \"2025-*-* 08:00\" has no time in the future"])
    }
}
