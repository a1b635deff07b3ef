import Glibc
import RxJSON
import TestSupport
import Testing

/// Streams of a daemon: their subscribers, switches, and conditions.
@Suite(.ownThreads(limit: .seconds(120)))
struct StreamTests {
    private static func configuration(_ step: String = "tonumber") -> String {
        """
        [stream.saves]
        subject = true
        through = [{ map = "\(step)" }]

        [action.note]
        run = ["cat"]
        overlap = "queue"
        on = "saves"

        """
    }

    private func stream(_ name: String, _ sandbox: Sandbox) async throws -> JSONValue {
        try #require(try await sandbox.rxctl("why", name, "--json").values().first)
    }

    @Test("a subscriber gets elements, errors, and firings, from the start too, and stays through a reload")
    func subscribes() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.configuration(), file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("send", "saves", #""1""#).status == 0)
            let reader = try await sandbox.startRxctl("subscribe", "saves", "--from", "start", "--count", "5")
            #expect(try await sandbox.rxctl("send", "saves", #""x""#).status == 0)
            try await eventually("the error is there") { reader.output.contains("\"errors\"") }
            sandbox.configure(Self.configuration("tonumber + 1"), file: "conf.d/streams.toml")
            #expect(try await sandbox.rxctl("reload").status == 0)
            #expect(try await sandbox.rxctl("send", "saves", #""2""#).status == 0)
            let records = try await reader.result().values()
            #expect(
                records.compactMap { $0["channel"]?.string } == [
                    "elements", "firings", "errors", "elements", "firings",
                ])
            #expect(records.allSatisfy { $0["stream"] == "saves" })
            #expect(records[0]["value"] == 1 && records[3]["value"] == 3)
            #expect(records[1]["value"]?["outcome"] == "started")
            #expect(records[2]["error"]?["data"]?["operator"] == "map")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a disabled stream refuses elements, with its reason, through a restart")
    func disabled() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.configuration(), file: "conf.d/streams.toml")
            var daemon = try await sandbox.startDaemon()
            let off = try await sandbox.rxctl("disable", "saves", "--reason", "moving house").values().first
            #expect(off?["state"] == "disabled" && off?["reason"]?.string?.contains("moving house") == true)
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            #expect(try await stream("saves", sandbox)["reason"] == off?["reason"])
            #expect(try await sandbox.rxctl("send", "saves", "1").status == 3)
            #expect(try await sandbox.rxctl("enable", "saves").values().first?["state"] == "running")
            #expect(try await sandbox.rxctl("send", "saves", #""1""#).status == 0)
            try await eventually("it fires") { try await stream("saves", sandbox)["counts"]?["started"] == 1 }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("times that come due while a stream is disabled are not owed")
    func notOwed() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                "[action.tick]\nrun = [\"true\"]\noverlap = \"queue\"\non = { every = \"100ms\", missed = \"all\" }\n",
                file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            try await eventually("it fires") { try await stream("tick@1", sandbox)["taken"]?.int ?? 0 > 0 }
            #expect(try await sandbox.rxctl("disable", "tick@1").status == 0)
            let taken = try await stream("tick@1", sandbox)["taken"]?.int ?? 0
            // The clock goes on meanwhile: each command takes tens of milliseconds.
            for _ in 0..<20 { #expect(try await stream("tick@1", sandbox)["taken"]?.int == taken) }
            #expect(try await sandbox.rxctl("enable", "tick@1").status == 0)
            try await eventually("it fires again") { try await stream("tick@1", sandbox)["taken"]?.int ?? 0 > taken }
            let missed = try await stream("tick@1", sandbox)["firings"]?.array?.compactMap {
                $0["input"]?["missed"]?.int
            }
            #expect(missed?.allSatisfy { $0 == 0 } == true, "\(missed ?? [])")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a stream runs while its condition over a reactor, another stream, and a path holds, and states why not")
    func condition() async throws {
        try await withSandbox { sandbox in
            let flag = sandbox.directory + "/flag"
            sandbox.configure(
                """
                [reactor.mode]
                initial = { on = false }
                mutate = [{ mutation = ".action" }]
                reduce = ".mutation"

                [stream.level]
                subject = true

                [stream.gated]
                subject = true
                enabled = { all = [
                  { any = [{ reactor = "mode", when = ".on" }, { stream = "level", when = ". > 5" }] },
                  { not = { path-exists = "\(flag)" } },
                ] }

                [action.note]
                run = ["true"]
                on = ["level", "gated"]

                """, file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            func reason() async throws -> String? { try await stream("gated", sandbox)["reason"]?.string }
            try await eventually("nothing holds") {
                try await reason()?.contains("the stream level has emitted nothing yet") == true
            }
            #expect(try await reason()?.contains(".on does not hold for the reactor mode") == true)
            #expect(try await sandbox.rxctl("send", "gated", "1").status == 3)
            #expect(try await sandbox.rxctl("send", "level", "6").status == 0)
            try await eventually("the stream's element holds") { try await reason() == nil }
            #expect(try await sandbox.rxctl("send", "gated", "1").status == 0)
            #expect(try await sandbox.rxctl("send", "level", "5").status == 0)
            try await eventually("it does not") { try await reason()?.contains(". > 5 does not hold") == true }
            #expect(try await sandbox.rxctl("dispatch", "mode", "on:=true").status == 0)
            try await eventually("the reactor's state holds") { try await reason() == nil }
            #expect(try await sandbox.shell("touch \(flag)").status == 0)
            try await eventually("there is the file") { try await reason() == "this holds: \(flag) exists" }
            #expect(try await sandbox.shell("rm \(flag)").status == 0)
            try await eventually("the file is gone") { try await reason() == nil }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a level that has not changed is not fired again after a restart, and each new reader gets it")
    func level() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [reactor.mode]
                initial = { on = false }
                mutate = [{ mutation = ".action" }]
                reduce = ".mutation"

                [stream.mode-now]
                reactor = "mode"
                pointer = "/on"

                [action.note]
                run = ["true"]
                overlap = "queue"
                on = "mode-now"

                """, file: "conf.d/streams.toml")
            var daemon = try await sandbox.startDaemon()
            func firings() async throws -> [JSONValue] {
                try await stream("mode-now", sandbox)["firings"]?.array ?? []
            }
            try await eventually("the first value is fired") { try await firings().count == 1 }
            let reader = try await sandbox.startRxctl(
                "subscribe", "mode-now", "--snapshot", "--from", "start", "--count", "1")
            #expect(try await reader.result().output.contains(#""values":[false]"#))
            try await sandbox.stopCleanly(daemon)
            daemon = try await sandbox.startDaemon()
            try await eventually("it is there again") { try await stream("mode-now", sandbox)["taken"] == 1 }
            #expect(try await sandbox.rxctl("dispatch", "mode", "on:=true").status == 0)
            try await eventually("the new value is fired") { try await firings().count == 2 }
            #expect(try await firings().map { $0["input"] } == [false, true])
            #expect(try await stream("mode-now", sandbox)["coalesced"] == 0)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("an action that writes into the folder that it watches is paused, though its executions outlast the events")
    func writesWhatItWatches() async throws {
        try await withSandbox { sandbox in
            let folder = sandbox.directory + "/watched"
            #expect(try await sandbox.shell("mkdir \(folder)").status == 0)
            sandbox.configure(
                """
                [action.loop]
                run = ["sh", "-c", "echo x >> \(folder)/file; sleep 0.2"]
                overlap = "queue"
                on = { path = "\(folder)" }

                """, file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.shell("touch \(folder)/file; echo x >> \(folder)/file").status == 0)
            try await eventually("the loop is broken") {
                try await stream("loop@1", sandbox)["reason"]?.string?.hasPrefix("a loop") == true
            }
            let counts = try await stream("loop@1", sandbox)["counts"]
            let accepted = (counts?["started"]?.int ?? 0) + (counts?["queued"]?.int ?? 0)
            // Each execution has one event, and the first chain may have begun with more than one.
            #expect((31...62).contains(accepted), "\(accepted)")
            #expect(try await sandbox.rxctl("enable", "loop@1").values().first?["state"] == "running")
            try await sandbox.stopCleanly(daemon)
        }
    }
}
