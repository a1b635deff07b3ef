import Testing

@testable import RxSources

struct UnitPatternTests {
    @Test("a name is one unit, a glob all that match")
    func patterns() throws {
        let name = try UnitPattern("nginx.service")
        #expect(!name.isGlob && name.holds(for: "nginx.service") && !name.holds(for: "nginx.socket"))
        let glob = try UnitPattern("getty@*.service")
        #expect(glob.isGlob && glob.holds(for: "getty@tty1.service") && !glob.holds(for: "getty.service"))
        #expect(try UnitPattern("*").holds(for: #"dev-disk-by\x2dlabel-x.device"#))
        #expect(try UnitPattern("[ab]?.timer").holds(for: "a1.timer"))
    }

    @Test(
        "what names no unit is a fault with the remedy",
        arguments: [
            ("nginx", "nginx has no type; write nginx.service if it is a service"),
            ("", #""" is not the name of a unit; write one such as nginx.service"#),
            ("a b.service", #""a b.service" is not the name of a unit; write one such as nginx.service"#),
            ("a/b.mount", #""a/b.mount" is not the name of a unit; write one such as nginx.service"#),
            (
                "getty@.service",
                "getty@.service is not a unit that can run; name an instance, such as getty@tty1.service"
            ),
        ])
    func faults(text: String, message: String) {
        let fault = #expect(throws: UnitPattern.Fault.self) { try UnitPattern(text) }
        #expect(fault?.description == message)
    }

    @Test("the path of a unit has its name")
    func paths() {
        #expect(UnitPath.unit(at: "/org/freedesktop/systemd1/unit/nginx_2eservice") == "nginx.service")
        #expect(UnitPath.unit(at: "/org/freedesktop/systemd1/unit/getty_40tty1_2eservice") == "getty@tty1.service")
        #expect(UnitPath.unit(at: "/org/freedesktop/systemd1/job/7") == nil)
        #expect(UnitPath.unit(at: "/org/freedesktop/systemd1/unit/a_2") == nil)
    }
}
