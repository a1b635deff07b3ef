import Glibc
import RxJSON
import TestSupport
import Testing

/// `disable` and `enable`: the inputs that they hold back, and the restarts that they survive.
@Suite(.ownThreads(limit: .seconds(120)))
struct SwitchTests {
    @Test("a disabled action reports its origin, time, and reason, also in the journal, through reload and restart")
    func outlives() async throws {
        try await withSandbox { sandbox in
            var daemon = try await sandbox.startDaemon()
            let off = try await sandbox.rxctl("disable", "echo", "--reason", "moving house").values()
            let reason = try #require(off.first?["reason"])
            #expect(reason["cause"] == "manual")
            #expect(reason["by"]?["uid"] == JSONValue(Int(getuid())))
            #expect(reason["since"]?.string?.hasSuffix("Z") == true)
            #expect(reason["reason"] == "moving house")
            try await daemon.logs("echo is switched off: moving house")

            func expectRefusal(_ when: String) async throws {
                let refused = try await sandbox.rxctl("execute", "echo", "1", "--json")
                #expect(refused.status == 3, "\(when)")
                #expect(try refused.refusal()["data"]?["reason"] == reason, "\(when)")
                #expect(try await sandbox.rxctl("why", "echo").values().first?["reason"] == reason, "\(when)")
            }
            try await expectRefusal("at once")
            sandbox.configure("[action.other]\nbuiltin = \"echo\"\n", file: "conf.d/other.toml")
            daemon.signal(SIGHUP)
            try await eventually("it is reloaded") { try await sandbox.rxctl("execute", "other").status == 0 }
            try await expectRefusal("after a reload")
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            try await expectRefusal("after a restart")
            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            daemon = try await sandbox.startDaemon()
            try await expectRefusal("after kill -9")

            #expect(try await sandbox.rxctl("enable", "echo", "--reason", "moved").status == 0)
            try await daemon.logs("echo is switched on: moved")
            #expect(try await sandbox.rxctl("execute", "echo", "1").output == "1\n")
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("execute", "echo", "1").output == "1\n")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test(
        "waiting inputs are held while the action is off, if durable through a kill -9, and start when it is on again"
    )
    func holds() async throws {
        try await withSandbox { sandbox in
            let turns = Turns(sandbox: sandbox)
            turns.configure("turn", "overlap = \"queue\"\ndurable = true")
            var daemon = try await sandbox.startDaemon()
            let first = try #require(try await sandbox.detach("turn", #"{"n":1}"#)["execution"]?.string)
            for n in 2...3 { _ = try await sandbox.detach("turn", #"{"n":\#(n)}"#) }
            try await turns.untilStarted(1)
            #expect(try await sandbox.rxctl("disable", "turn").status == 0)
            turns.releaseAll()
            // Work in flight continues to its end.
            #expect(try await sandbox.rxctl("wait", first).status == 0)
            #expect(try await sandbox.describe("turn")["executing"] == false)
            #expect(try await sandbox.describe("turn")["queued"] == 2)
            #expect(try await sandbox.rxctl("execute", "turn", #"{"n":4}"#).status == 3)

            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.describe("turn")["queued"] == 2)
            #expect(turns.notes == ["+1", "-1"])
            #expect(try await sandbox.rxctl("enable", "turn").status == 0)
            #expect(try await sandbox.rxctl("wait", "turn", "--timeout", "50s").status == 0)
            #expect(turns.notes == ["+1", "-1", "+2", "-2", "+3", "-3"])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test(
        "4: only the daemon's own user and root may switch; others may execute and read",
        .enabled(if: getuid() == 0 && Programs.installed("setpriv") != nil))
    func forbidden() async throws {
        try await withDaemon { sandbox, _ in
            chmod(sandbox.directory, 0o755)
            chmod(sandbox.socket, 0o666)
            // Where nobody can reach the build, their own copy.
            let copy = "\(sandbox.directory)/rxctl"
            let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups \(copy) -s \(sandbox.socket)"
            #expect(try await sandbox.shell(#"cp "$rxctl" \#(copy)"#).status == 0)
            for command in ["disable", "enable"] {
                let refused = try await sandbox.shell("\(nobody) \(command) echo --json")
                #expect(refused.status == 4, "\(refused.error)")
                #expect(try refused.refusal()["data"]?["name"] == "forbidden")
            }
            #expect(try await sandbox.shell("\(nobody) execute echo 1").output == "1\n")
            #expect(try await sandbox.shell("\(nobody) why echo").status == 0)
            let rights = try await sandbox.shell("\(nobody) describe echo").values().first?["rights"]
            #expect(rights == ["read", "subscribe", "execute"])
        }
    }

    @Test("why and the refusal name the switch for a disabled action that still executes, since the switch stays")
    func both() async throws {
        try await withDaemon { sandbox, _ in
            let execution = try await sandbox.startRxctl("execute", "sleeper")
            try await eventually("the work prints") { !execution.lines.isEmpty }
            #expect(try await sandbox.rxctl("disable", "sleeper").status == 0)
            #expect(try await sandbox.rxctl("why", "sleeper").values().first?["reason"]?["cause"] == "manual")
            let refused = try await sandbox.rxctl("execute", "sleeper", "--json")
            #expect(try refused.refusal()["data"]?["reason"]?["cause"] == "manual")
            #expect(try await sandbox.rxctl("enable", "sleeper").values().first?["reason"]?["cause"] == "executing")
            execution.signal(SIGINT)
            #expect(try await execution.result().status == 130)
        }
    }
}
