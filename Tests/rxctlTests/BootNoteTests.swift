import RxPlatform
import Testing

@testable import rxctl

@Suite("The remark that nothing starts the streams at boot")
struct BootNoteTests {
    private func note(
        socket: String, _ enablement: ServiceEnablement, environment: [String: String] = [:]
    ) -> String? {
        BootNote.text(socket: socket, environment: { environment[$0] }, enablement: { _ in enablement })
    }

    @Test("it is there for the machine's daemon if its service is installed and not enabled")
    func system() {
        let socket = "/run/rxd/rxd.sock"
        #expect(note(socket: socket, .disabled)?.hasSuffix("run `systemctl enable rxd.service`") == true)
        #expect(note(socket: socket, .enabled) == nil)
        #expect(note(socket: socket, .notInstalled) == nil)
    }

    @Test("a user's own daemon has the manager of that user, and one that was started by hand has none")
    func user() {
        let environment = ["HOME": "/home/ada", "XDG_RUNTIME_DIR": "/run/user/1000"]
        #expect(
            note(socket: "/run/user/1000/rxd/rxd.sock", .disabled, environment: environment)?
                .hasSuffix("run `systemctl --user enable rxd.service`") == true)
        #expect(note(socket: "/tmp/rxd.sock", .disabled, environment: environment) == nil)
    }
}
