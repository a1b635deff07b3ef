import Glibc
import TestSupport
import Testing

@testable import RxPlatform

@Suite("Whether systemd starts a service at boot")
struct ServiceEnablementTests {
    private let directory = TemporaryDirectory()

    private var found: ServiceEnablement {
        ServiceEnablement(of: "rxd.service", directories: ["etc", "lib"].map { "\(directory.path)/\($0)" })
    }

    @Test("a unit is enabled by a link in the .wants or .requires of any unit, also one that leads nowhere here")
    func links() {
        #expect(found == .notInstalled)
        directory.write("lib/rxd.service", "[Unit]")
        #expect(found == .disabled)
        directory.write("etc/multi-user.target.wants/rxd.socket", "")
        directory.write("etc/rxd.service.d/more.conf", "")
        #expect(found == .disabled)
        symlink("/none/rxd.service", "\(directory.path)/etc/multi-user.target.wants/rxd.service")
        #expect(found == .enabled)
    }

    @Test("a requirement enables a unit as well")
    func requirement() {
        directory.write("lib/rxd.service", "[Unit]")
        directory.write("lib/site.target.requires/rxd.service", "")
        #expect(found == .enabled)
    }

    @Test("the command names the manager")
    func command() {
        #expect(ServiceEnablement.Manager.system.command(enabling: "rxd.service") == "systemctl enable rxd.service")
        #expect(
            ServiceEnablement.Manager.user(home: "/home/a").command(enabling: "rxd.service")
                == "systemctl --user enable rxd.service")
    }
}
