import Glibc
import RxJSON
import TestSupport
import Testing

/// A subscriber that stops reading while very many elements go by.
@Suite(.ownThreads(limit: .seconds(300)))
struct StalledReaderTests {
    private static let elements = 200_000 * Effort.times

    /// Most that the daemon may be larger with it afterwards. Its buffer is the default 1024 events, of 170 bytes on
    /// the wire and as much again to keep track of each, beside 64 KiB that are encoded already: 400 KB. As these come
    /// from among many that go at once, up to 1 MB is measured, and twice that is allowed. All of 200,000 would be
    /// 70 MB.
    private static let mostBytes = 2 << 20
    /// Most that it may grow meanwhile: what is freed counts until the allocator gives it back. Beside other load up to
    /// 2.1 MB is measured.
    private static let mostPeakBytes = 4 << 20
    /// Most that may wait for it: those 64 KiB, and 1024 events with the memory that keeps track of them.
    private static let mostQueuedBytes = 65_536 + 1024 * 400

    private static let actions = """
        [action.numbers]
        run = ["seq", { input = "/count" }]
        output = "json"

        """

    private struct Record {
        let seq: Int
        let cursor: Int
        let channel: String
        let value: JSONValue

        init(_ line: String) throws {
            let params = try #require(try RawJSON(validating: line).value()["params"])
            seq = try #require(params["seq"]?.int)
            cursor = try Record.number(params["cursor"])
            channel = try #require(params["channel"]?.string)
            value = try #require(params["value"])
        }

        static func number(_ cursor: JSONValue?) throws -> Int {
            try #require((cursor?.string?.split(separator: ":").last).flatMap { Int($0) })
        }
    }

    private static let subscribe =
        #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
        + #""params":{"subscription":"s","action":"numbers","channels":["elements"]}}"#

    @Test(
        "a stalled subscriber of very many elements costs its buffer, and gets the number of lost elements",
        .enabled(if: Programs.installed("socat") != nil, "socat is not installed"))
    func stalled() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(StalledReaderTests.actions, file: "conf.d/numbers.toml")
            let daemon = try await sandbox.startDaemon()
            // The same without it, but for a reader that keeps up: whatever fills up with elements, such as the ring,
            // or is kept for the next of them, is there then.
            let other = try await sandbox.start([
                "/bin/sh", "-c", #"printf '%s\n' "$1" | socat -t 1000 - "UNIX:$RXD_SOCKET" >/dev/null"#, "sh",
                StalledReaderTests.subscribe,
            ])
            try await eventually("the other one is subscribed") {
                try await sandbox.rxctl("status", "--json").values().first?["subscriptions"] == 1
            }
            try await emit(StalledReaderTests.elements, sandbox)
            let without = try Memory(of: daemon)

            let reader = try LineSocket(path: sandbox.socket)
            reader.send(StalledReaderTests.subscribe)
            _ = try await reader.line()
            try await emit(StalledReaderTests.elements, sandbox)
            // On a busy machine, the other one may be behind for a moment.
            var queued = Int.max
            try await eventually("no more waits than what the stalled one may have") {
                let status = try await sandbox.rxctl("status", "--json").values().first ?? .null
                queued = try #require(status["queuedBytes"]?.int)
                return queued <= StalledReaderTests.mostQueuedBytes
            }
            let with = try Memory(of: daemon)
            print("stalled reader: \(queued) bytes wait; memory without it \(without), with it \(with)")
            #expect(queued > 0)
            #expect(with.now - without.now <= StalledReaderTests.mostBytes)
            #expect(with.most - without.most <= StalledReaderTests.mostPeakBytes)

            try await readOn(reader)
            other.signal(SIGKILL)
            _ = try await other.result()
            try await sandbox.stopCleanly(daemon)
        }
    }

    /// Executes to the end, detached, so that no reader can hold it back.
    private func emit(_ count: Int, _ sandbox: Sandbox) async throws {
        let id = try await sandbox.detach("numbers", #"{"count":\#(count)}"#)["execution"]?.string
        let waiting = try await sandbox.startRxctl("wait", try #require(id))
        // It takes longer than anything else may.
        let deadline = ContinuousClock.now + .seconds(120)
        while Sandbox.isAlive(waiting.pid), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await waiting.result().status == 0)
    }

    /// What it finds when it reads again: the first elements, how many it lost, and the last ones.
    private func readOn(_ reader: LineSocket) async throws {
        var (received, dropped, lags) = (0, 0, 0)
        var last: Record?
        while received + dropped < StalledReaderTests.elements {
            let record = try Record(try await reader.line())
            try #require(record.seq == (last?.seq ?? 0) + 1)
            if record.channel == "lag" {
                let before = try #require(last)
                let count = try #require(record.value["dropped"]?.int)
                // While one execution emits, nothing but its elements counts.
                #expect(try Record.number(record.value["first"]) == before.cursor + 1)
                #expect(try Record.number(record.value["last"]) == before.cursor + count)
                #expect(record.cursor == before.cursor + count)
                dropped += count
                lags += 1
            } else {
                received += 1
                try #require(record.value.int == received + dropped)
                if let last { try #require(record.cursor == last.cursor + 1) }
            }
            last = record
        }
        print("stalled reader: \(received) received, \(dropped) lost")
        #expect(received + dropped == StalledReaderTests.elements)
        #expect(lags == 1)
        #expect(last?.value.int == StalledReaderTests.elements, "the newest are kept")
        // The socket and the buffer hold only a small part of the events.
        #expect(dropped > StalledReaderTests.elements * 9 / 10)
    }
}

/// The memory of a process, from `/proc`.
private struct Memory: CustomStringConvertible {
    let now: Int
    let most: Int

    init(of daemon: Program) throws {
        let status = try #require(Files.read("/proc/\(daemon.pid)/status"))
        func bytes(_ key: String) throws -> Int {
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(key + ":") })
            return try #require(Int(line.filter(\.isNumber))) << 10
        }
        now = try bytes("VmRSS")
        most = try bytes("VmHWM")
    }

    var description: String { "\(now >> 10) KiB (at most \(most >> 10))" }
}
