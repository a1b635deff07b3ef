import RxTime
import Testing

@Suite("Where zones come from")
struct ZoneFilesTests {
    private let files = ZoneFiles.system()

    @Test("each zone of the system has a name of the valid form and rules")
    func system() throws {
        for name in ["Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "EST5EDT", "W-SU", "Asia/Gaza"] {
            #expect(try files.zone(named: name).name == name)
        }
    }

    @Test("UTC needs no file", arguments: ["UTC", "utc"])
    func utc(name: String) throws {
        #expect(try ZoneFiles.system(directory: "/nonexistent").zone(named: name) == .utc)
    }

    @Test(
        "a name that could lead out of the directory is refused",
        arguments: [
            "", "/etc/passwd", "../../../etc/passwd", "Europe//Berlin", "Europe/", "Europe/Ber lin", "a.b", "ü",
        ])
    func invalidNames(name: String) {
        #expect(throws: ZoneFault.invalidName(name)) { try files.zone(named: name) }
        let long = String(repeating: "a", count: 256)
        #expect(throws: ZoneFault.invalidName(long)) { try files.zone(named: long) }
    }

    @Test("what is no zone is unknown or damaged")
    func unknown() {
        #expect(throws: ZoneFault.unknown("Europe/Berlino")) { try files.zone(named: "Europe/Berlino") }
        #expect(throws: ZoneFault.unknown("Europe")) { try files.zone(named: "Europe") }
        #expect(throws: ZoneFault.unknown("Europe/Berlin/x")) { try files.zone(named: "Europe/Berlin/x") }
        #expect(throws: ZoneFault.invalidFile(offset: 0, "expected TZif")) {
            try ZoneFiles.system(directory: "/etc").zone(named: "passwd")
        }
    }

    @Test("a file that never ends is refused")
    func endless() {
        #expect(throws: ZoneFault.self) { try ZoneFiles.system(directory: "/dev").zone(named: "zero") }
    }

    @Test("the machine's zone is that of TZ, or else of the system; none means UTC")
    func machine() throws {
        let berlin = try files.zone(named: "Europe/Berlin")
        let none = ZoneFiles { name throws(ZoneFault) in throw .unknown(name) }
        #expect(try files.machineZone(variable: "Europe/Berlin") == berlin)
        #expect(try files.machineZone(variable: ":Europe/Berlin") == berlin)
        #expect(try files.machineZone(variable: "") == .utc)
        #expect(try none.machineZone(variable: nil) == .utc)
        #expect(try none.machineZone(variable: "CET-1").period(at: Instant(seconds: 0)).offset == 3600)
        #expect(throws: ZoneFault.unknown("Mars/Base")) { try none.machineZone(variable: "Mars/Base") }
        let named = ZoneFiles(
            read: { name throws(ZoneFault) in throw .unknown(name) },
            readMachine: { () throws(ZoneFault) in ("Here/There", TZifBuilder().bytes) })
        #expect(try named.machineZone(variable: nil).name == "Here/There")
        _ = try files.machineZone(variable: nil)
    }

    @Test("messages name the zone")
    func messages() {
        #expect("\(ZoneFault.unknown("X/Y"))" == "there is no time zone \"X/Y\" in the system's tzdata")
        #expect("\(ZoneFault.invalidRule("AB1", position: 2, expected: "x"))".contains("character 3: expected x"))
    }
}
