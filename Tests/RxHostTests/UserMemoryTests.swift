import Rx
import RxAction
import RxJSON
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords

@Suite("The memory of a user")
struct UserMemoryTests {
    private static let client = Origin.peer(uid: 1000, gid: 1000, pid: 1)
    /// A user dispatched an action to a reactor, whose rule makes the request.
    private static let rule = Causes(
        .rule(reactor: "door", rule: 0), after: EarlierCauses(Causes(client)))

    private static func text(_ bytes: Int) -> RawJSON {
        RawJSON(unchecked: Array("\"\(String(repeating: "x", count: bytes - 2))\"".utf8))
    }

    @Test("is charged with the input of an execution until its end, whoever started it for the user")
    func inputs() throws {
        let held = ActionDefinition(
            name: "held", kind: "test", overlap: .queue(limit: 10), fingerprint: "held"
        ) { _ in .never() }
        let host = Host([held])
        let action = try #require(host.registry["held"])
        let memory = host.memory[1000]
        let started = try host.execute(action, ExecutionRequest(input: Self.text(100), causes: Self.rule)).get()
        #expect(memory.bytes == 100, "it is in progress")
        let queued = try host.execute(action, ExecutionRequest(input: Self.text(200), causes: Self.rule)).get()
        #expect(memory.bytes == 100 + 200 + 1024)
        _ = try host.execute(action, ExecutionRequest(input: Self.text(400), by: .host)).get()
        #expect(memory.bytes == 100 + 200 + 1024, "the daemon's own is not the user's")
        queued.cancel(by: .host)
        #expect(memory.bytes == 100)
        started.cancel(by: .host)
        #expect(memory.bytes == 0)
    }

    @Test("is charged with what is shown of an input with secrets, and with the secrets, until the end")
    func secrets() throws {
        let schema = try JSONSchema(RawJSON(["items": ["writeOnly": true]]))
        var held = ActionDefinition(
            name: "held", kind: "test", overlap: .queue(limit: 10), fingerprint: "held"
        ) { _ in .never() }
        held.schema = schema
        let host = Host([held])
        let action = try #require(host.registry["held"])
        let memory = host.memory[1000]
        let input = RawJSON(["secret", "longer than fifteen bytes"])
        let request = ExecutionRequest(input: input, causes: Self.rule)
        let redaction = InputRedaction(schema, input)
        #expect(redaction.cost == #"["[redacted]","[redacted]"]"#.utf8.count + 2 * 32 + 25 + 32)
        let started = try host.execute(action, request).get()
        let search = try #require(redaction.mask).searchCost
        #expect(search == (6 + 25) * SecretSearch.costOfByte)
        #expect(memory.bytes == input.utf8.count + redaction.cost + search, "it may have to be looked for")
        let queued = try host.execute(action, request).get()
        #expect(memory.bytes == 2 * (input.utf8.count + redaction.cost) + search + 1024)
        for execution in [queued, started] {
            #expect(host.log.read { _ in execution.mask } != nil)
            execution.cancel(by: .host)
            #expect(host.log.read { _ in execution.mask } == nil, "the host knows it for some time")
        }
        #expect(memory.bytes == 0)
    }

    @Test("refuses what would be beyond half of the limit, and nothing of it stays")
    func refused() throws {
        let held = ActionDefinition(
            name: "held", kind: "test", overlap: .queue(limit: 10), fingerprint: "held"
        ) { _ in .never() }
        let host = Host([held])
        host.memory.limit = 40_000
        let action = try #require(host.registry["held"])
        var request = ExecutionRequest(input: Self.text(9000), causes: Self.rule)
        _ = try host.execute(action, request).get()
        _ = try host.execute(action, request).get()
        let kept = host.memory[1000].bytes
        request.key = "k"
        guard case .failure(.tooManyBytesOfUser(limit: 40_000)) = host.execute(action, request) else {
            Issue.record("not refused")
            return
        }
        #expect(host.memory[1000].bytes == kept)
        #expect(host.log.inFlight.count == 2)
        let other = ExecutionRequest(input: Self.text(9000), by: .peer(uid: 1001, gid: 1001, pid: 1))
        _ = try host.execute(action, other).get()
        for execution in host.log.inFlight { execution.cancel(by: .host) }
        #expect(host.memory[1000].bytes == 0 && host.memory[1001].bytes == 0)
        #expect(host.memory.users.isEmpty)
        _ = try host.execute(action, request).get()
    }

    @Test("refuses nothing that hardly needs any: a request that joins, or one with a short input that starts at once")
    func full() throws {
        func held(_ name: String, _ overlap: Overlap) -> ActionDefinition {
            ActionDefinition(name: name, kind: "test", overlap: overlap, fingerprint: name) { _ in .never() }
        }
        let host = Host([
            held("queued", .queue(limit: 10)), held("joined", .join), held("concurrent", .concurrent(limit: 10)),
        ])
        host.memory.limit = 40_000
        let actions = try ["queued", "joined", "concurrent"].map { try #require(host.registry[$0]) }
        var keyed = ExecutionRequest(input: Self.text(9000), by: Self.client, key: "k")
        let first = try host.execute(actions[0], keyed).get()
        let joinable = try host.execute(actions[1], ExecutionRequest(input: Self.text(9000), by: Self.client)).get()
        let short = ExecutionRequest(input: .null, by: Self.client)
        guard
            case .failure(.tooManyBytesOfUser) = host.execute(
                actions[0], ExecutionRequest(input: Self.text(9000), by: Self.client))
        else {
            Issue.record("not full")
            return
        }
        #expect(try host.execute(actions[0], keyed).get() === first)
        #expect(
            try host.execute(actions[1], ExecutionRequest(input: Self.text(9000), by: Self.client)).get() === joinable)
        _ = try host.execute(actions[2], short).get()
        keyed.key = "another"
        guard case .failure(.tooManyBytesOfUser) = host.execute(actions[0], keyed) else {
            Issue.record("not refused")
            return
        }
        for execution in host.log.inFlight { execution.cancel(by: .host) }
        _ = try host.execute(actions[0], keyed).get()
    }

    @Test("is charged nothing for a request that joins")
    func joined() throws {
        let held = ActionDefinition(name: "held", kind: "test", overlap: .join, fingerprint: "held") { _ in .never() }
        let host = Host([held])
        let action = try #require(host.registry["held"])
        let request = ExecutionRequest(input: Self.text(100), by: Self.client)
        let execution = try host.execute(action, request).get()
        #expect(try host.execute(action, request).get() === execution)
        #expect(host.memory[1000].bytes == 100)
        execution.cancel(by: .host)
    }

    @Test("bounds the recordings of the user's executions together: the one that grows drops its own oldest")
    func recordings() throws {
        let puppets = (0..<4).map { _ in Puppet() }
        let definitions = puppets.enumerated().map { index, puppet in
            var definition = puppet.definition(name: "p\(index)")
            definition.overlap = .join
            return definition
        }
        let host = Host(definitions)
        host.memory.limit = 400_000
        let executions = try (0..<4).map { index -> HostedExecution in
            let action = try #require(host.registry["p\(index)"])
            let by = index == 3 ? Origin.peer(uid: 1001, gid: 1001, pid: 1) : Self.client
            return try host.execute(action, ExecutionRequest(input: .null, by: by)).get()
        }
        for puppet in puppets { for _ in 0..<50 { puppet.subject.onNext(Self.text(1000)) } }
        let costs = executions.map { execution in host.log.read { _ in execution.recording.cost } }
        #expect(costs[0] + costs[1] + costs[2] <= 100_000 && costs[0] + costs[1] + costs[2] > 95_000)
        #expect(costs[3] > 50_000, "another user has room of its own")
        for puppet in puppets { puppet.complete() }
        #expect(host.log.update { $0.recordedBytes } == 0)
        #expect(!host.memory[1000].areRecordingsFull(with: 100_000), "all of it is free again")
    }
}
