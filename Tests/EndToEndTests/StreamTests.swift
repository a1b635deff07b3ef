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
            let reader = try await sandbox.startRxctl("subscribe", "saves", "--from", "start", "--count", "7")
            #expect(try await sandbox.rxctl("send", "saves", #""x""#).status == 0)
            try await eventually("the error is there") { reader.output.contains("\"errors\"") }
            sandbox.configure(Self.configuration("tonumber + 1"), file: "conf.d/streams.toml")
            #expect(try await sandbox.rxctl("reload").status == 0)
            #expect(try await sandbox.rxctl("send", "saves", #""2""#).status == 0)
            let all = try await reader.result().values()
            let ends = all.compactMap { $0["value"]?["end"]?.string }
            #expect(ends == ["completed", "completed"], "firings come again when their executions have ended")
            let records = all.filter { $0["value"]?["end"] == nil }
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

    @Test("a limit of the space of a file system fires once when it is crossed, and not again after a restart")
    func space() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.page]
                run = ["echo", "disk"]
                [action.page.on]
                name     = "fuller"
                space    = "\(sandbox.directory)"
                interval = "1s"
                through  = [{ map = ".used >= 0" }, { distinctUntilChanged = true }, { filter = "." }]
                [stream.none]
                space = "\(sandbox.directory)/none"

                """, file: "conf.d/streams.toml")
            func firings() async throws -> [JSONValue] {
                try await stream("fuller", sandbox)["firings"]?.array ?? []
            }
            var daemon = try await sandbox.startDaemon()
            try await eventually("it has fired") {
                try await firings().map { $0["outcome"] } == ["started"]
            }
            let none = try await stream("none", sandbox)
            #expect(none["reason"]?.string == "\(sandbox.directory)/none does not exist")
            try await sandbox.stopCleanly(daemon)

            daemon = try await sandbox.startDaemon()
            try await eventually("the daemon has measured") {
                try await stream("fuller", sandbox)["taken"]?.int ?? 0 > 0
            }
            #expect(try await firings().count == 1)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("with persist, a reader goes on exactly after kill -9 of the daemon; without it, it is informed of a gap")
    func persists() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [stream.kept]
                subject = true
                persist = true
                [stream.loose]
                subject = true

                """, file: "conf.d/streams.toml")
            var daemon = try await sandbox.startDaemon()
            let cursor = sandbox.directory + "/cursor"
            func send(_ numbers: ClosedRange<Int>) async throws {
                for number in numbers {
                    for stream in ["kept", "loose"] {
                        #expect(try await sandbox.rxctl("send", stream, "\(number)").status == 0)
                    }
                }
            }
            func read(_ stream: String, _ more: String...) async throws -> [JSONValue] {
                let result = try await sandbox.rxctl(["subscribe", stream, "--channel", "elements"] + more)
                return try result.values().compactMap { $0["channel"] == "elements" ? $0["value"] : $0["channel"] }
            }
            try await send(1...3)
            let loose = try await sandbox.rxctl("subscribe", "loose", "--from", "start", "--count", "1").values()
            let mark = try #require(loose.first?["cursor"]?.string)
            let keptMark = try #require(
                try await sandbox.rxctl("subscribe", "kept", "--from", "start", "--count", "1").values().first?[
                    "cursor"]?.string)
            // One reader leaves and comes back with the file of its cursor, the other one stays.
            let leaving = try await sandbox.startRxctl(
                "subscribe", "kept", "--channel", "elements", "--snapshot", "--cursor-file", cursor, "--count", "2")
            let staying = try await sandbox.startRxctl(
                "subscribe", "kept", "--channel", "elements", "--snapshot", "--count", "5")
            try await eventually("the readers are there") {
                leaving.output.contains("snapshot") && staying.output.contains("snapshot")
            }
            try await send(4...5)
            #expect(try await leaving.result().values().compactMap { $0["value"] } == [4, 5])
            for number in [6, 9, 12] {
                daemon.signal(SIGKILL)
                _ = try await daemon.result()
                daemon = try await sandbox.startDaemon()
                try await send(number...number)
            }
            #expect(try await staying.result().values().compactMap { $0["value"] } == [4, 5, 6, 9, 12])
            #expect(try await read("kept", "--cursor-file", cursor, "--count", "3") == [6, 9, 12])
            #expect(try await read("kept", "--cursor-file", cursor, "--past") == [])
            try await send(13...14)
            #expect(try await read("kept", "--from", keptMark, "--count", "6") == [2, 3, 4, 5, 6, 9])
            // After that, the stream has emitted what it was sent.
            #expect(try await read("kept", "--from", "10m", "--count", "10") == [1, 2, 3, 4, 5, 6, 9, 12, 13, 14])
            #expect(try await read("kept", "--cursor-file", cursor, "--past") == [13, 14])
            #expect(try await read("kept", "--past") == [1, 2, 3, 4, 5, 6, 9, 12, 13, 14])
            #expect(try await read("loose", "--from", mark, "--count", "1") == ["lag"])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("--step prints what leaves a step; an unknown one is an error that names the steps that there are")
    func step() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [stream.saves]
                subject = true
                through = [
                  { filter = ". > 1" },
                  { groupBy = ". % 2", through = [{ map = ". * 10" }] },
                ]

                """, file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            let wrong = try await sandbox.rxctl("subscribe", "saves", "--step", "3")
            #expect(wrong.status == 2 && wrong.error.contains("its steps are 0, 1, 2, 2.1"), "\(wrong.error)")
            let described = try await sandbox.rxctl("describe", "saves").values().first
            #expect(described?["steps"]?.array?.compactMap { $0["step"]?.string } == ["1", "2", "2.1"])
            let inner = try await sandbox.startRxctl(
                "subscribe", "saves", "--step", "2.1", "--snapshot", "--count", "2")
            let source = try await sandbox.startRxctl(
                "subscribe", "saves", "--step", "0", "--snapshot", "--count", "3")
            try await eventually("they are there") {
                inner.output.contains("snapshot") && source.output.contains("snapshot")
            }
            for number in 1...3 { #expect(try await sandbox.rxctl("send", "saves", "\(number)").status == 0) }
            let records = try await inner.result().values().dropFirst()
            #expect(records.compactMap { $0["value"] } == [20, 30] && records.allSatisfy { $0["step"] == "2.1" })
            #expect(try await source.result().values().dropFirst().compactMap { $0["value"] } == [1, 2, 3])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("why explains a refusal, a filter that lets nothing through, a time that is due, and a missing environment")
    func why() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.slow]
                run = ["sleep", "60"]
                on = { subject = true, name = "taps" }

                [action.never]
                run = ["true"]
                on = [
                  { subject = true, name = "filtered", through = [{ filter = ".go" }] },
                  { calendar = "2199-01-01", name = "due" },
                  { path = "\(sandbox.directory)/missing", name = "files" },
                  { subject = true, name = "held", through = [{ debounce = "1h" }] },
                ]

                """, file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            for _ in 0..<2 { #expect(try await sandbox.rxctl("send", "taps", "{}").status == 0) }
            for _ in 0..<3 { #expect(try await sandbox.rxctl("send", "filtered", #"{"go":false}"#).status == 0) }
            #expect(try await sandbox.rxctl("send", "held", "{}").status == 0)
            try await eventually("the second tap is refused") {
                try await stream("taps", sandbox)["counts"]?["refused"] == 1
            }
            let refused = try await stream("taps", sandbox)["firings"]?.array?.last
            #expect(refused?["error"] == "notEnabled")
            #expect(refused?["message"]?.string?.contains("is executing") == true)
            try await eventually("the filter has stopped all") {
                try await stream("filtered", sandbox)["steps"]?.array?.first?["taken"] == 3
            }
            #expect(try await stream("filtered", sandbox)["steps"]?.array?.first?["emitted"] == 0)
            #expect(try await stream("due", sandbox)["next"]?.string?.hasPrefix("21") == true)
            try await eventually("the path is missed") { try await stream("files", sandbox)["state"] == "waiting" }
            #expect(try await stream("files", sandbox)["reason"]?.string?.contains("missing") == true)
            try await eventually("the debounce is due") { try await stream("held", sandbox)["due"] != nil }
            #expect(try await stream("held", sandbox)["steps"]?.array?.first?["waiting"] == 1)
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
            try await eventually("there is the file") { try await reason() == "this must not hold: \(flag) exists" }
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

    @Test("files that others write one by one are all taken, though the executions take longer than that")
    func steadyFiles() async throws {
        try await withSandbox { sandbox in
            let folder = sandbox.directory + "/inbox"
            #expect(try await sandbox.shell("mkdir \(folder)").status == 0)
            sandbox.configure(
                """
                [action.ingest]
                run = ["sleep", "0.15"]
                overlap = "queue"
                on = { path = "\(folder)", events = ["written"], persist = true }

                """, file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            let writes = "for i in $(seq 60); do echo x > \(folder)/$i; sleep 0.14; done"
            #expect(try await sandbox.shell(writes).status == 0)
            try await eventually("all are executed") {
                let counts = try await stream("ingest@1", sandbox)["counts"]
                return (counts?["started"]?.int ?? 0) + (counts?["queued"]?.int ?? 0) >= 60
            }
            #expect(try await stream("ingest@1", sandbox)["counts"]?["refused"] == nil)
            try await sandbox.stopCleanly(daemon)
        }
    }
}
