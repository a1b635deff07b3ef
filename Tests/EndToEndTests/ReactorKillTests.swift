import Glibc
import RxJSON
import TestSupport
import Testing

/// A persistent reactor, and a daemon that is killed again and again during dispatches.
@Suite(.ownThreads(limit: .seconds(300)))
struct ReactorKillTests {
    private static let kills = 50 * Effort.times
    /// A state directory lasts for so many of them: each start reads all of the list.
    private static let killsPerDirectory = 25
    private static let mostOutstanding = 64

    private enum Durability: String {
        case sync, normal
    }

    /// The dispatched actions of one list, and those that were acknowledged.
    private struct Dispatched {
        var kept: [Int] = []
        var next = 1
        /// Since the last start.
        var sent: [Int] = []
        var acknowledged: Set<Int> = []
        /// The newest revision of an answer.
        var answered = 0
        /// The numbers of steps: acknowledged and lost, kept without an answer, and acknowledged.
        var lost = 0
        var unanswered = 0
        var total = 0
    }

    @Test("kill -9 while dispatching, at sync: all that was acknowledged is restored, in order, and the file is whole")
    func syncKills() async throws { try await killOver(.sync) }

    @Test(
        "kill -9 during dispatches, at normal: the restored state is a prefix of the dispatches, and the file is whole"
    )
    func normalKills() async throws { try await killOver(.normal) }

    private func killOver(_ durability: Durability) async throws {
        var numbers = SeededNumbers()
        var (total, lost, unanswered) = (0, 0, 0)
        for _ in 0..<ReactorKillTests.kills / ReactorKillTests.killsPerDirectory {
            try await withSandbox { sandbox in
                var dispatched = Dispatched()
                for _ in 0..<ReactorKillTests.killsPerDirectory {
                    try await killOnce(sandbox, durability, &dispatched, &numbers)
                }
                try await expectWholeFile(sandbox)
                let daemon = try await start(sandbox, durability)
                let client = try await connect(sandbox, daemon)
                try await check(client, durability, &dispatched, seed: numbers.seed)
                try await checkWholeHistory(client, dispatched.kept)
                client.close()
                try await sandbox.stopCleanly(daemon)
                total += dispatched.total
                lost += dispatched.lost
                unanswered += dispatched.unanswered
            }
        }
        print(
            """
            killed reactors: RX_SEED=\(numbers.seed), \(durability): \(total) dispatches acknowledged, \
            \(lost) of them lost, \(unanswered) kept without an answer
            """)
        #expect(total > ReactorKillTests.kills, "or this shows little")
    }

    // MARK: One life of a daemon

    private func killOnce(
        _ sandbox: Sandbox, _ durability: Durability, _ dispatched: inout Dispatched, _ numbers: inout SeededNumbers
    ) async throws {
        let daemon = try await start(sandbox, durability)
        if Int.random(in: 0..<8, using: &numbers) == 0 {
            // At any point, even before it has read the stored state.
            try await Task.sleep(for: .microseconds(Int.random(in: 0...30_000, using: &numbers)))
            return try await kill(daemon)
        }
        let client = try await connect(sandbox, daemon)
        try await check(client, durability, &dispatched, seed: numbers.seed)
        let deadline = ContinuousClock.now + .microseconds(Int.random(in: 500...25_000, using: &numbers))
        // On a busy machine, nothing might be acknowledged by then.
        let enough = Int.random(in: 0...8, using: &numbers)
        let window = Int.random(in: 1...ReactorKillTests.mostOutstanding, using: &numbers)
        repeat {
            let outstanding = dispatched.sent.count - dispatched.acknowledged.count
            if outstanding <= window / 2 { dispatch(client, window - outstanding, &dispatched) }
            take(client.replies(), &dispatched)
            try await Task.sleep(for: .microseconds(300))
        } while ContinuousClock.now < deadline || dispatched.acknowledged.count < enough
        try await kill(daemon)
        // What it has answered before it died is acknowledged, too.
        take(client.replies(), &dispatched)
        client.close()
    }

    private func dispatch(_ client: DispatchSocket, _ count: Int, _ dispatched: inout Dispatched) {
        let numbers = dispatched.next..<dispatched.next + count
        client.dispatch(numbers)
        dispatched.sent += numbers
        dispatched.next += count
    }

    private func take(_ replies: [JSONValue], _ dispatched: inout Dispatched) {
        for reply in replies {
            #expect(reply["result"]?["reactor"] == "list", "\(reply)")
            guard reply["result"] != nil else { continue }
            let number = reply["id"]?.int ?? 0
            #expect(dispatched.acknowledged.insert(number).inserted)
            dispatched.total += 1
            dispatched.answered = max(dispatched.answered, reply["result"]?["revision"]?.int ?? 0)
            // Its revision is one whose list has it.
            let place = dispatched.sent.firstIndex(of: number).map { dispatched.kept.count + $0 + 1 }
            #expect((reply["result"]?["revision"]?.int ?? 0) >= place ?? .max)
        }
    }

    /// Checks the state right after a restart.
    private func check(
        _ client: DispatchSocket, _ durability: Durability, _ dispatched: inout Dispatched, seed: UInt64
    ) async throws {
        let answer = try await client.call("reactor.state", #"{"reactor":"list"}"#)
        let found = titles(answer["state"])
        let all = dispatched.kept + dispatched.sent
        let comment: Comment = "RX_SEED=\(seed) \(durability)"
        // Whatever is there is the beginning of all, with nothing missing in between.
        #expect(found == Array(all.prefix(found.count)), comment)
        #expect(answer["revision"]?.int == found.count, comment)
        let new = Set(found.dropFirst(dispatched.kept.count))
        #expect(found.count >= dispatched.kept.count, comment)
        let lost = dispatched.acknowledged.subtracting(new)
        switch durability {
        case .sync:
            #expect(lost.isEmpty, comment)
            #expect(found.count >= dispatched.answered, comment)
        case .normal: dispatched.lost += lost.count
        }
        dispatched.unanswered += new.subtracting(dispatched.acknowledged).count
        dispatched.kept = found
        try await checkHistory(client, before: found.count + 1, limit: dispatched.sent.count + 1, found)
        (dispatched.sent, dispatched.acknowledged) = ([], [])
    }

    private func titles(_ state: JSONValue?) -> [Int] {
        (state?["tasks"]?.array ?? []).reversed().compactMap { $0["title"]?.string.flatMap { Int($0) } }
    }

    // MARK: History

    /// The newest steps before a revision are those that created the tasks; returns the first one's revision.
    @discardableResult
    private func checkHistory(
        _ client: DispatchSocket, before: Int, limit: Int, _ list: [Int]
    ) async throws -> Int {
        let answer = try await client.call(
            "reactor.history", #"{"reactor":"list","limit":\#(limit),"before":\#(before)}"#)
        let steps = answer["history"]?.array ?? []
        let first = before - steps.count
        #expect(steps.map { $0["revision"]?.int } == (first..<before).map { $0 })
        #expect(steps.count <= limit)
        #expect(answer["truncated"] != nil || steps.count == min(limit, before - 1))
        let created = steps.map { $0["action"]?["create"]?["title"]?.string.flatMap { Int($0) } }
        #expect(created == list[(first - 1)..<(before - 1)].map { $0 })
        return first
    }

    private func checkWholeHistory(_ client: DispatchSocket, _ list: [Int]) async throws {
        var before = list.count + 1
        while before > 1 {
            let first = try await checkHistory(client, before: before, limit: 1000, list)
            guard first < before else { break }
            before = first
        }
        #expect(before == 1)
    }

    // MARK: Daemons

    private func start(_ sandbox: Sandbox, _ durability: Durability) async throws -> Program {
        try await sandbox.start(sandbox.todoDaemon("list", durability: durability.rawValue))
    }

    private func connect(_ sandbox: Sandbox, _ daemon: Program) async throws -> DispatchSocket {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try DispatchSocket(path: sandbox.socket)
            } catch {
                // There is none yet, or the one of the daemon before.
                guard ContinuousClock.now < deadline, Sandbox.isAlive(daemon.pid) else {
                    Issue.record("the daemon does not come up: \(daemon.error)")
                    throw error
                }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    private func kill(_ daemon: Program) async throws {
        daemon.signal(SIGKILL)
        #expect(try await daemon.result().status == 128 + SIGKILL)
    }

    /// Another program, Python's sqlite3, finds no fault in the file after the last kill.
    private func expectWholeFile(_ sandbox: Sandbox) async throws {
        guard let python = Programs.installed("python3") else { return }
        let script = """
            import sqlite3, sys
            connection = sqlite3.connect(sys.argv[1])
            print(connection.execute("PRAGMA integrity_check").fetchall())
            """
        let result = try await sandbox.start([python, "-c", script, sandbox.state + "/reactors.db"]).result()
        #expect(result.output == "[('ok',)]\n", "\(result.error)")
    }
}

/// Dispatches tasks with numbers as titles to the reactor `list`, as fast as it answers.
private final class DispatchSocket {
    private let socket: RawSocket
    private var text = ""

    init(path: String) throws {
        socket = try RawSocket(path: path)
    }

    func dispatch(_ numbers: Range<Int>) {
        socket.send(
            numbers.map { number in
                let params = #"{"reactor":"list","action":{"create":{"title":"\#(number)"}}}"#
                return #"{"jsonrpc":"2.0","id":\#(number),"method":"reactor.dispatch","params":\#(params)}"# + "\n"
            }.joined())
    }

    /// Asks for something when nothing else is under way.
    func call(_ method: String, _ params: String) async throws -> JSONValue {
        socket.send(#"{"jsonrpc":"2.0","id":0,"method":"\#(method)","params":\#(params)}"# + "\n")
        var found: [JSONValue] = []
        try await eventually("there is an answer to \(method)") {
            found += replies()
            return !found.isEmpty
        }
        #expect(found.count == 1)
        return try #require(found[0]["result"], "\(found[0])")
    }

    /// What has come, without waiting.
    func replies() -> [JSONValue] {
        while let piece = socket.received(), !piece.isEmpty { text += piece }
        guard let end = text.utf8.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        defer { text = String(text[text.utf8.index(after: end)...]) }
        return text[..<end].split(separator: "\n").map { line in
            (try? RawJSON(validating: String(line)).value()) ?? .string(String(line))
        }
    }

    func close() { socket.close() }
}
