import RxJSON
import TestSupport
import Testing

@testable import rxctl

/// What is typed, against a daemon that knows much that this release does not.
@Suite("rxctl and a daemon of the future", .ownThreads(limit: .seconds(120)))
struct FutureDaemonTests {
    @Test("subscribe prints every event of a known channel with all its members")
    func subscribe() async throws {
        try await withFakeDaemon(FutureDaemon.script) { daemon in
            let result = await bash("timeout 20 rxctl subscribe deploy 2>/dev/null", socket: daemon.path)
            let records = result.lines.compactMap { try? RawJSON(validating: $0).value() }
            #expect(records.count == result.lines.count)
            #expect(
                records.map { $0["channel"]?.string } == ["elements", "errors", "elements", "executing", "end"],
                "\(result.output)")
            #expect(records.first?["priority"] == 5)
            #expect(records.first?["value"] == ["step": "one"])
            #expect(records.last?["value"]?["until"] == "spring")
            // The command ended by itself: `timeout` would exit with 124.
            #expect(result.status != 124)
        }
    }

    @Test("execute prints the elements; an end that is not known is no success")
    func execute() async throws {
        try await withFakeDaemon(FutureDaemon.script) { daemon in
            let known = await bash("timeout 20 rxctl execute deploy 2>/dev/null", socket: daemon.path)
            #expect(known.output == "1\n2\n")
            #expect(known.status == 0)
            let unknown = await bash("timeout 20 rxctl execute dream 2>&1", socket: daemon.path)
            #expect(unknown.lines.first == "1")
            #expect(unknown.output.contains("the moon was wrong"))
            #expect(unknown.status == 1)
        }
    }

    @Test("list prints the actions, as a table or as the response has them")
    func list() async throws {
        try await withFakeDaemon(FutureDaemon.script) { daemon in
            let plain = await bash("timeout 20 rxctl list", socket: daemon.path)
            #expect(plain.output.contains("deploy"))
            #expect(plain.status == 0)
            let json = await bash("timeout 20 rxctl list --json", socket: daemon.path)
            #expect(json.output.contains(#""colour":"blue""#))
            #expect(json.status == 0)
        }
    }

    @Test("call prints a result as it came, and an error that is not known with its message")
    func call() async throws {
        try await withFakeDaemon(FutureDaemon.script) { daemon in
            let result = await bash("timeout 20 rxctl call server.hello '{}'", socket: daemon.path)
            let hello = try RawJSON(validating: result.output).value()
            #expect(hello["moon"]?["phase"] == 0.25)
            #expect(result.status == 0)
            let refused = await bash("timeout 20 rxctl call future.method 2>&1", socket: daemon.path)
            #expect(refused.output.contains("not before its time"))
            #expect(refused.status == 1)
        }
    }
}
