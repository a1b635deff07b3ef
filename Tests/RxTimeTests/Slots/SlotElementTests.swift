import RxTime
import Testing

@Suite("The element of a slot")
struct SlotElementTests {
    @Test("it has the slot in UTC and on the clock of the zone, and when it was fired")
    func fields() throws {
        let element = SlotElement(
            scheduled: try at("2026-03-29T01:00:00Z"), zone: try zone("Europe/Berlin"),
            fired: try at("2026-03-29T01:00:00.012345Z"), missed: 3)
        #expect(element.scheduled == "2026-03-29T01:00:00.000Z")
        #expect(element.local == "2026-03-29T03:00:00+02:00")
        #expect(element.fired == "2026-03-29T01:00:00.012345Z")
        #expect(element.missed == 3)
    }

    @Test(
        "offsets are written with their sign, and with seconds where a zone had some",
        arguments: [
            ("America/St_Johns", "2026-01-01T00:00:00.25Z", "2025-12-31T20:30:00.250-03:30"),
            ("UTC", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00+00:00"),
            ("Africa/Monrovia", "1970-06-01T00:44:30Z", "1970-06-01T00:00:00-00:44:30"),
            ("Pacific/Kiritimati", "2026-01-01T00:00:00Z", "2026-01-01T14:00:00+14:00"),
        ])
    func offsets(name: String, instant: String, text: String) throws {
        #expect(try local(at(instant), zone(name)) == text)
    }
}
