import RxJSON
import RxPictures
import Synchronization
import TestSupport
import Testing

@testable import rxctl

@Suite(.ownThreads)
struct MarblesCommandTests {
    private func json(_ text: String) throws -> JSONValue { try RawJSON(validating: text).value() }

    private static let picture = #"""
        saves · 2026-03-28 14:02:00 to 14:06:00 UTC+01:00
                  ╷14:02:00.000                          ╷14:05:02.000   ╷14:05:03.000
        site      ─────────────>────────────────//3m//───>───────!──────────//57s//────
                                 ╰━━━━━━━━━━━✓              ╰━━━━━━━━━━━━✗
        light     ─────────────────────*────────//3m//──────────────────────//57s//────
        deploy    ──────────────────────────────//3m//──────────────────────//57s//────
                                                                    ╰━━━━━━━//57s//━━━━

          >  14:05:02.000  started → failed
          !  14:05:02.500  refused notEnabled
          ✗  14:05:03.000  ended: failed

          > started   * reduced   ! refused   ✓ execution succeeded
          ✗ execution failed   //t// idle for t   ╰━ execution

        """#

    @Test("a lane for each target: firings, and the executions of the stream beneath")
    func golden() throws {
        var marbles = StreamMarbles(try json(ExampleStreams.saves))
        marbles.add(records: try json("[\(ExampleStreams.records)]").array ?? [])
        let start = ExampleStreams.start
        let picture = marbles.marbles(from: start, to: start + 240_000, offset: { _ in 3600 })
        #expect(picture.text() == Self.picture)
    }

    private static let pictureWithElements = #"""
        saves · 2026-03-28 14:02:00 to 14:06:00 UTC+01:00
                  ╷14:02:00           ╷14:03:00     ╷14:04:00 ╷14:05:00
        saves     ──a──────────────────────#──────≈12≈────────b──────a─────────────────
        site      ────>──────────────────────────────────────────>─────!───────────────
                        ╰━━━━✓                                     ╰━━━━━━━━✗
        light     ─────────*───────────────────────────────────────────────────────────
        deploy    ─────────────────────────────────────────────────────────────────────
                                                                          ╰━━━━━━━━━━━━

          a  14:02:00.990  {"path":"a.md"}  ×2
          #  14:03:30.000  no number
          b  14:05:01.990  {"path":"b.md"}
          >  14:05:02.000  started → failed
          !  14:05:02.500  refused notEnabled
          ✗  14:05:03.000  ended: failed

          > started   * reduced   ! refused   # error   ✓ execution succeeded
          ✗ execution failed   ≈n≈ n events lost   ╰━ execution

        """#

    @Test("with its events, the stream has a lane of its own, and no firing is there twice")
    func elements() throws {
        let start = ExampleStreams.start
        var marbles = StreamMarbles(try json(ExampleStreams.saves))
        marbles.add(events: try ExampleStreams.events.map { try json("{\($0)}") }, since: start)
        marbles.add(records: try json("[\(ExampleStreams.records)]").array ?? [])
        let picture = marbles.marbles(from: start, to: start + 240_000, offset: { _ in 3600 })
        #expect(picture.text() == Self.pictureWithElements)
        #expect(!marbles.isIncomplete)
        marbles.add(events: [["channel": "lag", "value": ["dropped": .null]]], since: start)
        #expect(marbles.isIncomplete)
    }

    @Test("a firing that came again has its end, and the execution is drawn without a record of it")
    func ends() throws {
        let start = ExampleStreams.start
        let firing =
            #""number":4,"time":"2026-03-28T13:02:01.000Z","target":"site","outcome":"started","execution":"E9""#
        func event(_ time: String, _ more: String = "") throws -> JSONValue {
            try json(
                #"{"time":"\#(time)","channel":"firings","stream":"saves","value":{\#(firing)\#(more)}}"#)
        }
        var marbles = StreamMarbles(["stream": "saves", "targets": ["site"]])
        let events = try [
            event("2026-03-28T13:02:01.000Z"), event("2026-03-28T13:02:03.000Z", #","end":"timedOut""#),
        ]
        marbles.add(events: events, since: start)
        #expect(marbles.rows.map { $0["end"] } == ["timedOut"])
        let picture = marbles.marbles(from: start, to: start + 5_000, offset: { _ in 0 }).text()
        #expect(picture.contains("started → timedOut") && picture.contains("ended: timedOut"), "\(picture)")
    }

    @Test("elements that the daemon has forgotten are a gap before the oldest one, if that is in the picture")
    func forgotten() throws {
        let events = try ExampleStreams.events.map { try json("{\($0)}") }
        func gaps(emitted: Int, since time: Int64) -> [JSONValue] {
            var marbles = StreamMarbles(["stream": "saves", "emitted": JSONValue(emitted)])
            marbles.add(events: events, since: time)
            return marbles.rows.filter { $0.text("channel") == "lag" }.compactMap { $0["value"]?["dropped"] }
        }
        #expect(gaps(emitted: 43, since: ExampleStreams.start) == [40, 12])
        #expect(gaps(emitted: 3, since: ExampleStreams.start) == [12])
        // The oldest element is from before the picture.
        #expect(gaps(emitted: 43, since: ExampleStreams.start + 60_000) == [12])
        #expect(gaps(emitted: 43, since: ExampleStreams.start + 150_000) == [])
    }

    /// - Parameter events: those that the daemon sends to each subscription; nil refuses it.
    private func withSaves(
        events: [String]? = ExampleStreams.events, _ body: (FakeDaemon) async throws -> Void
    ) async throws {
        try await withFakeDaemon(
            { request, peer in
                switch request.method {
                case "subscribe":
                    guard let events else { return peer.refuse(request, -32007, "forbidden") }
                    peer.open(request, at: 0, snapshot: #"{"streams":{}}"#)
                    for (index, event) in events.enumerated() {
                        peer.send(
                            #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"\#(request.stream)","seq":"#
                                + #"\#(index + 1),"cursor":"e:\#(index + 1)",\#(event)}}"#)
                    }
                    peer.event(
                        request.stream, events.count + 1, #""channel":"end","value":{"reason":"caughtUp"}"#)
                case "stream.describe" where request.params["stream"] == "saves":
                    peer.answer(request, ExampleStreams.saves)
                case "execution.list":
                    peer.answer(request, #"{"executions":[\#(ExampleStreams.records)],"truncated":false}"#)
                case _: peer.refuse(request, -32006, "notFound", #","stream":"x""#)
                }
            }, body)
    }

    @Test("asks for the executions since the beginning, and for those in flight")
    func requests() async throws {
        try await withSaves { daemon in
            let result = await bash("rxctl marbles saves --last 100d", socket: daemon.path)
            #expect(result.status == 0)
            #expect(result.output.hasPrefix("saves · "))
            #expect(result.lines.last == "saves (path /srv) is running.")
            let subscription = try #require(daemon.requests.first { $0.method == "subscribe" })
            #expect(subscription.params["stream"] == "saves")
            #expect(subscription.params["channels"] == ["elements", "errors", "firings", "lag"])
            #expect(subscription.params["from"] == "start" && subscription.params["until"] == "now")
            let lists = daemon.requests.filter { $0.method == "execution.list" }
            #expect(lists.first?.params["since"]?.string?.hasSuffix("Z") == true)
            #expect(lists.last?.params["state"] == ["queued", "executing"])
        }
    }

    @Test("prints SVG, or the rows as JSON")
    func formats() async throws {
        try await withSaves { daemon in
            let svg = await bash("rxctl marbles saves -f svg", socket: daemon.path)
            #expect(svg.output.hasPrefix("<svg"))
            let rows = await bash("rxctl marbles saves --last 36000d --json", socket: daemon.path)
            // Five events, four firings, and three executions, each once; not the one of somebody else.
            #expect(rows.lines.count == 12)
            #expect(!rows.output.contains("E4"))
        }
    }

    @Test("a stream without events has an empty lane; without the right to subscribe, none, and a remark")
    func withoutElements() async throws {
        try await withSaves(events: []) { daemon in
            let result = await bash("rxctl marbles saves --last 100d", socket: daemon.path)
            #expect(result.status == 0)
            #expect(result.lines.contains { $0.hasPrefix("saves ") && $0.hasSuffix("──") })
        }
        try await withSaves(events: nil) { daemon in
            let result = await bash("rxctl marbles saves --last 100d 2>&1", socket: daemon.path)
            #expect(result.status == 0)
            #expect(result.lines.first == "rxctl: the elements of saves are left out: no: forbidden")
            #expect(!result.lines.contains { $0.hasPrefix("saves ") && $0.hasSuffix("──") })
        }
    }

    @Test("an unknown stream is not found")
    func unknown() async throws {
        try await withSaves { daemon in
            #expect(await bash("rxctl marbles other 2>/dev/null", socket: daemon.path).status == 5)
        }
    }
}
