import HostTestSupport
import Testing
import TestSupport

@testable import RxProcess

@Suite(.countedApart)
struct ProcessEnvironmentTests {
    private let daemon = ProcessEnvironment(
        entries: [
            "PATH=/usr/bin:/bin", "HOME=/root", "NOTIFY_SOCKET=/run/notify", "LISTEN_FDS=1", "LISTEN_PID=1",
            "LISTEN_FDNAMES=x", "WATCHDOG_USEC=1", "WATCHDOG_PID=1", "RX_ACTION=old", "RX_EXECUTION=old",
            "RX_ATTEMPT=7", "RX_LEDGER=1:2", "1DIGIT=x", "nothing", "=x", "LISTENER=kept", "EMPTY=",
        ].map { Array($0.utf8) })

    @Test("a process gets the daemon's variables without systemd's, the action's, and its own name and execution")
    func variables() async {
        let launcher = Harness.launcher(environment: daemon)
        var definition = ProcessDefinition(arguments: [.text("env")])
        definition.environment = ["HOME": "/srv", "OWN": "a=b c"]
        let execution = Recorded(definition, launcher: launcher)
        #expect(
            await execution.all().sorted()
                == [
                    "EMPTY=", "HOME=/srv", "LISTENER=kept", "OWN=a=b c", "PATH=/usr/bin:/bin", "RX_ACTION=test",
                    "RX_ATTEMPT=1", "RX_EXECUTION=\(execution.id)",
                ].map { "\"\($0)\"" })
    }

    @Test("a later attempt gets its number")
    func attempt() {
        let entries = daemon.entries(adding: [:], action: "test", execution: "e", attempt: 3)
        let attempts = entries.filter { $0.starts(with: "RX_ATTEMPT=".utf8) }
        #expect(attempts == [Array("RX_ATTEMPT=3\0".utf8)])
    }

    @Test("a process with a ledger gets its name")
    func ledger() {
        let entries = daemon.entries(adding: [:], action: "test", execution: "e", ledger: "3:4")
        #expect(entries.filter { $0.starts(with: "RX_LEDGER=".utf8) } == [Array("RX_LEDGER=3:4\0".utf8)])
    }

    @Test("a value that is not UTF-8 is passed on as it is")
    func bytes() async {
        let launcher = Harness.launcher(
            environment: ProcessEnvironment(entries: [Array("RAW=".utf8) + [0xFF, 0xFE]]))
        let definition = ProcessDefinition(
            arguments: [.text("/bin/sh"), .text("-c"), .text("printf %s \"$RAW\" | od -An -tx1")])
        #expect(await Recorded(definition, launcher: launcher).all() == [#"" ff fe""#])
    }

    @Test("programs are searched on the action's PATH, else the daemon's, else the usual one")
    func path() {
        #expect(daemon.path(adding: ["PATH": "/own"]) == "/own")
        #expect(daemon.path(adding: [:]) == "/usr/bin:/bin")
        #expect(ProcessEnvironment(entries: []).path(adding: [:]) == ProcessEnvironment.defaultPath)
    }
}
