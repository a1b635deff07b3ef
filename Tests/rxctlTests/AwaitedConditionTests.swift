import RxJSON
import Synchronization
import TestSupport
import Testing

@testable import rxctl

/// `rxctl wait --for`
@Suite(.ownThreads(limit: .seconds(120)))
struct AwaitedConditionTests {
    private static let id = "01a1fc74-5543-7000-b6c5-3532564cb263"
    private static let snapshot =
        #"{"actions":{"a":{"executing":true,"enabled":false,"reason":{"cause":"executing"},"executions":[]}}}"#

    @Test("the present levels count as records, before later events")
    func levels() async throws {
        try await withFakeDaemon({ request, peer in
            peer.open(request, at: 1, snapshot: AwaitedConditionTests.snapshot)
            peer.event(request.stream, 2, #""channel":"executing","action":"a","value":false"#)
        }) { daemon in
            func wait(_ expression: String) async -> ScriptResult {
                await bash("rxctl wait a --for '\(expression)' --timeout 20s", socket: daemon.path)
            }
            let level = await wait(#".channel == "executing" and .value"#)
            #expect(level.lines == [#"{"channel":"executing","action":"a","value":true}"#] && level.status == 0)
            let enabled = await wait(#".value.reason?.cause == "executing""#)
            #expect(
                enabled.lines == [
                    #"{"channel":"enabled","action":"a","value":{"enabled":false,"reason":{"cause":"executing"}}}"#
                ])
            let event = await wait(#".channel == "executing" and (.value | not)"#)
            #expect(event.lines == [#"{"seq":2,"cursor":"e:2","channel":"executing","action":"a","value":false}"#])
            #expect(
                daemon.requests[0].params["channels"]
                    == ["elements", "errors", "executing", "enabled", "executions"])
            #expect(daemon.requests[0].params["from"] == nil)
            let late = await bash("rxctl wait a --for false --timeout 50ms 2>&1", socket: daemon.path)
            #expect(late.lines == ["rxctl: timed out after 50ms"] && late.status == 124)
        }
    }

    @Test("an execution that ends before it is as expected is 1; its record counts, as it is now")
    func executions() async throws {
        let id = AwaitedConditionTests.id
        try await withFakeDaemon({ request, peer in
            peer.open(
                request, at: 1, snapshot: #"{"executions":{"\#(id)":{"action":"a","state":"executing"}}}"#)
            peer.event(request.stream, 2, #""channel":"elements","execution":"\#(id)","value":{"step":"pull"}"#)
            peer.end(request.stream, 3)
        }) { daemon in
            let now = await bash("rxctl wait \(id) --for '.value.state == \"executing\"'", socket: daemon.path)
            #expect(
                now.lines == [
                    #"{"channel":"executions","action":"a","execution":"\#(id)","#
                        + #""value":{"action":"a","state":"executing"}}"#
                ])
            let step = await bash("rxctl wait \(id) --for '.value.step? == \"pull\"'", socket: daemon.path)
            #expect(step.status == 0 && step.lines.count == 1)
            let never = await bash("rxctl wait \(id) --for '.value.step? == \"push\"' 2>&1", socket: daemon.path)
            #expect(
                never.lines == ["rxctl: the execution ended (completed) before the expression held"]
                    && never.status == 1)
            #expect(daemon.requests[0].params["execution"] == .string(id))
            #expect(daemon.requests[0].params["channels"] == ["elements", "errors", "executions"])
        }
    }

    @Test("it waits over lost connections, and looks at how things are where something was missed")
    func reconnects() async throws {
        let openings = Mutex(0)
        try await withFakeDaemon({ request, peer in
            switch openings.withLock({
                $0 += 1; return $0
            }) {
            case 1:
                peer.open(request, at: 1)
                peer.close()
            case 2:
                // Nothing was missed: the snapshot is not news.
                peer.open(request, at: 1, snapshot: AwaitedConditionTests.snapshot)
                peer.close()
            case 3:
                peer.refuse(request, -32014, "cursorExpired")
            case _:
                peer.open(request, at: 9, snapshot: AwaitedConditionTests.snapshot)
            }
        }) { daemon in
            let result = await bash("rxctl wait a --for '.channel == \"executing\"' 2>/dev/null", socket: daemon.path)
            #expect(result.lines == [#"{"channel":"executing","action":"a","value":true}"#] && result.status == 0)
            #expect(daemon.requests.count == 4)
        }
    }

    @Test("an expression that is none is a usage error")
    func usage() async {
        #expect(await bash("rxctl wait a --for '(' 2>/dev/null", socket: "/nonexistent").status == 64)
    }
}
