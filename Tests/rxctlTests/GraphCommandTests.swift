import RxJSON
import RxPictures
import TestSupport
import Testing

@testable import rxctl

@Suite(.ownThreads)
struct GraphCommandTests {
    private func withStreams(_ body: (FakeDaemon) async throws -> Void) async throws {
        try await withFakeDaemon(
            { request, peer in
                guard request.method == "stream.list", request.params["graph"] == true else { return peer.close() }
                peer.answer(request, ExampleStreams.graph)
            }, body)
    }

    private static let picture = #"""
        stream backup@1
        ├─ calendar *-*-* 03:00 Europe/Berlin                                      1/min
        └─▶ action backup

        stream rollout                    waiting: the queue of approval is full · 0/min
        ├─ merge
        │  ├─ ◀ action deploy errors
        │  └─ path /srv/site *.md
        ├─ withLatestFrom                                                          2/min
        │  └─ ◀ reads reactor approval /by
        ├─ concatMap .hosts[]                                                      0/min
        │  ├─ concatMap yields all
        │  │  └─▶ executes action deploy
        │  └─ retry 3, delay 10s
        └─▶ reactor approval

        action backup                disabled: its condition does not hold (disk: .free)

        action deploy
        └─▶ stream rollout (errors)

        action page                                                   disabled: no pager

        reactor approval                                                       3 refused
        ├─▶ read by stream rollout (/by)
        └─▶ action page

        """#

    @Test("everything that is connected to streams, with figures, in one request")
    func all() async throws {
        try await withStreams { daemon in
            let result = await bash("rxctl graph", socket: daemon.path)
            #expect(result.output == Self.picture)
            #expect(result.status == 0)
            #expect(daemon.requests.map(\.method) == ["stream.list"])
        }
    }

    @Test("what leads to a name, and what it leads to")
    func focused() async throws {
        try await withStreams { daemon in
            let backup = await bash("rxctl graph backup", socket: daemon.path)
            #expect(backup.output.contains("calendar *-*-* 03:00"))
            #expect(!backup.output.contains("rollout"))
            let alone = await bash("rxctl graph unrelated", socket: daemon.path)
            #expect(alone.lines == ["action unrelated"])
        }
    }

    @Test("an unknown name is not found")
    func unknown() async throws {
        try await withStreams { daemon in
            let result = await bash("rxctl graph nothing 2>&1", socket: daemon.path)
            #expect(result.status == 5)
            #expect(result.output.hasPrefix("rxctl: no such action, reactor, or stream: nothing"), "\(result.output)")
        }
    }

    @Test("dot, Mermaid, and SVG; with --json, the reply")
    func formats() async throws {
        try await withStreams { daemon in
            for (format, start) in [("dot", "digraph"), ("mermaid", "flowchart"), ("svg", "<svg")] {
                let result = await bash("rxctl graph -f \(format)", socket: daemon.path)
                #expect(result.output.contains(start), "\(format)")
                #expect(result.output.contains("rollout"), "\(format)")
            }
            let json = await bash("rxctl graph --json", socket: daemon.path)
            #expect(json.output == ExampleStreams.graph + "\n")
            #expect(await bash("rxctl graph -f png 2>/dev/null", socket: daemon.path).status == 64)
        }
    }

    @Test("a reply without the members of this release still gives a picture")
    func gaps() {
        let reply: JSONValue = ["streams": [["stream": "s", "source": "every 5m", "state": "ended"]]]
        let graph = Graph(GraphReply(reply).input(title: "streams", name: nil))
        #expect(graph.text().contains("stream s"))
        #expect(graph.text().contains("every 5m"))
    }
}
