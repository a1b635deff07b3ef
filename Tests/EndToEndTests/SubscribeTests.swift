import Glibc
import RxJSON
import TestSupport
import Testing

/// `rxctl subscribe` and `rxctl wait --for` with a real daemon and its restarts.
@Suite(.ownThreads(limit: .seconds(300)))
struct SubscribeTests {
    private func record(_ line: String) throws -> JSONValue { try RawJSON(validating: line).value() }

    /// The epoch of a record's cursor, with the colon.
    private func epoch(_ record: JSONValue) -> String {
        record["cursor"]?.string?.split(separator: ":").first.map { "\($0):" } ?? "none"
    }

    @Test("a restarted daemon is found again; missing events are reported, with the present levels")
    func restart() async throws {
        try await withSandbox { sandbox in
            let first = try await sandbox.startDaemon()
            let reader = try await sandbox.startRxctl(
                "subscribe", "echo", "--snapshot", "--channel", "elements,reconnect", "--count", "3")
            let waiting = try await sandbox.startRxctl(
                "wait", "echo", "--for", #".channel == "elements" and .value == 2"#)
            let strict = try await sandbox.startRxctl("subscribe", "echo", "--snapshot", "--strict")
            try await eventually("they are subscribed") { !reader.lines.isEmpty && !strict.lines.isEmpty }
            try await eventually("the one that prints nothing, too") {
                try await sandbox.rxctl("status").output.contains(#""subscriptions":3"#)
            }
            _ = try await sandbox.rxctl("execute", "echo", "1")
            first.signal(SIGTERM)
            _ = try await first.result()
            let second = try await sandbox.startDaemon()
            try await eventually("it is connected again") { reader.lines.count == 4 }
            try await eventually("the other one too") { waiting.error.contains("connecting again") }
            // Whether it is subscribed again nobody outside can see: once its element comes, it is.
            while Sandbox.isAlive(waiting.pid) {
                _ = try await sandbox.rxctl("execute", "echo", "2")
            }
            let lines = try await reader.result().lines
            let records = try lines.map(record)
            #expect(records.count == 5)
            #expect(records[1]["value"] == 1)
            #expect(records[2]["channel"] == "reconnect")
            #expect(records[2]["value"]?["after"] == records[1]["cursor"])
            #expect(records[2]["value"]?["resumed"] == true)
            // `echo` has no history: what it did while nobody was connected is not kept.
            #expect(records[3]["channel"] == "lag" && records[3]["value"]?["dropped"]?.isNull == true)
            #expect(records[3]["value"]?["first"]?.string?.hasPrefix(epoch(records[1])) == true)
            #expect(records[4]["value"] == 2 && records[4]["cursor"]?.string?.hasPrefix(epoch(records[1])) == true)
            let awaited = try await waiting.result()
            #expect(awaited.status == 0)
            #expect(try awaited.lines.map(record).map { $0["value"] } == [2])
            #expect(try await strict.result().status == 75)
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("an execution is followed by its id, from its start, to its end; wait --for looks into it")
    func execution() async throws {
        try await withDaemon { sandbox, _ in
            let id = try await sandbox.rxctl("execute", "exit3", "--detach").lines[0]
            _ = try await sandbox.rxctl("wait", id)
            let whole = try await sandbox.rxctl(
                "subscribe", id, "--from", "execution", "--channel", "elements,errors")
            #expect(whole.status == 1)
            #expect(try whole.lines.map(record).map { $0["channel"]?.string } == ["elements", "errors", "end"])
            let other = try await sandbox.rxctl("execute", "sleeper", "--detach").lines[0]
            let state = try await sandbox.rxctl("wait", other, "--for", #".value.state? == "executing""#)
            #expect(state.status == 0)
            #expect(try state.lines.map(record).map { $0["execution"]?.string } == [other])
            let never = try await sandbox.startRxctl("wait", other, "--for", #".value.state? == "completed""#)
            _ = try await sandbox.rxctl("cancel", other)
            #expect(try await never.result().status == 1)
        }
    }

    @Test("from a cursor, and last: kept events come again")
    func catchUp() async throws {
        try await withDaemon { sandbox, _ in
            for number in 1...5 { _ = try await sandbox.rxctl("execute", "echo", "\(number)") }
            let last = try await sandbox.rxctl(
                "subscribe", "echo", "--from", "last", "--channel", "elements", "--count", "1")
            let newest = try record(last.lines[0])
            #expect(newest["value"] == 5)
            let cursor = try #require(newest["cursor"]?.string)
            _ = try await sandbox.rxctl("execute", "echo", "6")
            let next = try await sandbox.rxctl(
                "subscribe", "echo", "--from", cursor, "--channel", "elements", "--values", "--count", "1")
            #expect(next.lines == ["6"])
        }
    }

    @Test("with --wait, a daemon that ends before it has answered counts as none")
    func unanswered() async throws {
        try await withSandbox { sandbox in
            let first = try await sandbox.startDaemon()
            first.signal(SIGSTOP)
            let reader = try await sandbox.startRxctl(
                "subscribe", "*", "--channel", "errors", "--wait", "60s", "--count", "1")
            try await eventually("it is connected") {
                Files.names(in: "/proc/\(reader.pid)/fd").contains {
                    Files.target(of: "/proc/\(reader.pid)/fd/\($0)")?.hasPrefix("socket:") == true
                }
            }
            first.signal(SIGKILL)
            _ = try await first.result()
            let second = try await sandbox.startDaemon()
            try await eventually("it has subscribed") {
                try await sandbox.rxctl("status", "--json").values().first?["subscriptions"]?.int == 1
            }
            _ = try await sandbox.rxctl("execute", "exit3")
            let result = try await reader.result()
            #expect(result.status == 0, "\(result.error)")
            #expect(try result.lines.map(record).map { $0["action"]?.string } == ["exit3"])
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("--from states where to begin while the cursor file has no cursor")
    func fromWithoutCursor() async throws {
        try await withDaemon { sandbox, _ in
            for number in 1...3 { _ = try await sandbox.rxctl("execute", "echo", "\(number)") }
            for number in 1...3 {
                let next = try await sandbox.rxctl(
                    "subscribe", "echo", "--from", "start", "--cursor-file", sandbox.directory + "/cursor",
                    "--channel", "elements", "--values", "--count", "1")
                #expect(next.lines == ["\(number)"], "\(next.error)")
            }
        }
    }
}
