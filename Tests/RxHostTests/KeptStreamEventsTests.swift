import Rx
import RxJSON
import RxRecords
import Testing
import TestSupport

@testable import RxHost
@testable import RxStore

/// The events of streams that persist outlive their host.
@Suite("Events of streams in the store", .countedApart)
struct KeptStreamEventsTests {
    private let file = StoreFile()

    /// Opens a host with the streams `kept`, which persists, and `loose`, which does not.
    private func open(
        _ retention: ExecutionStore.Retention = .init(), events: Int = 10_000
    ) throws -> (Host, ExecutionStore) {
        let store = try file.open(retention)
        var limits = CatchUpLimits()
        limits.events = events
        let host = Host(store: store, catchUp: limits)
        host.resume()
        host.streams = ["kept": FakeStream("kept", persists: true), "loose": FakeStream("loose", persists: false)]
        return (host, store)
    }

    private func source(_ host: Host, _ names: String...) throws -> EventSource {
        .named(try names.map { try #require(host.streamFeed($0)) })
    }

    /// What a reader receives, as words: the events, and `lost` where some are missing.
    private func read(
        _ host: Host, _ source: EventSource, _ kinds: EventKinds = .all, from start: EventStart
    ) async throws -> [String] {
        let opening = try host.log.open(source, kinds, from: start).get()
        defer { host.log.unwatch(source) }
        guard var position = opening.position else { return [] }
        var texts: [String] = []
        while true {
            let portion = host.log.nextPortion(of: source, kinds, after: &position)
            for item in portion.items {
                switch item {
                case .event(let event): texts.append(event.text)
                case .encoded: Issue.record("there is no encoder")
                case .lost(let count, _, _): texts.append("lost \(count.map { "\($0)" } ?? "some")")
                }
            }
            if portion.isComplete { return texts }
            await host.log.read(portion.need, of: source, kinds, for: &position)
        }
    }

    private static let news: [(StreamNews, String)] = [
        (.element(.true), "element true"), (.failure(RawJSON("f")), #"streamFailure "f""#),
        (.firing(RawJSON("g")), #"firing "g""#), (.drops(StreamDrops(7, before: "2.1")), "drops 7 2.1"),
    ]

    @Test("are read by their cursors in the next host; of another stream, a gap is reported")
    func restart() async throws {
        var (host, store) = try open()
        let begin = host.log.cursor
        for (news, _) in Self.news {
            host.publish(news, of: "kept", at: 1)
            host.publish(news, of: "loose", at: 1)
        }
        await store.flush()
        let middle = host.log.cursor
        host.publish(.element(.false), of: "kept", at: 2)
        store.close()
        for _ in 0..<2 {
            (host, store) = try open()
            let all = Self.news.map(\.1) + ["element false"]
            #expect(try await read(host, source(host, "kept"), from: .cursor(begin)) == all)
            #expect(try await read(host, source(host, "kept"), from: .cursor(middle)) == ["element false"])
            #expect(try await read(host, source(host, "kept"), .firings, from: .start) == [#"firing "g""#])
            #expect(try await read(host, source(host, "kept"), from: .time(2)) == ["element false"])
            let newest = try await read(host, source(host, "kept"), from: .last)
            #expect(newest == Self.news.dropFirst().map(\.1) + ["element false"])
            #expect(try await read(host, source(host, "loose"), from: .cursor(middle)) == ["lost some"])
            #expect(
                try await read(host, source(host, "kept", "loose"), from: .cursor(middle))
                    == ["element false", "lost some"])
            store.close()
        }
    }

    @Test("return once and in order from every cursor, from memory and from pages", arguments: 0..<20)
    func random(_ seed: UInt64) async throws {
        var random = SplitMix(seed)
        var told: [(cursor: UInt64, text: String, kind: EventKinds)] = []
        var (host, store) = try open(events: 6)
        let kinds: [EventKinds] = [.elements, .errors, .firings, .drops]
        for _ in 0..<80 {
            switch Int.random(in: 0..<24, using: &random) {
            case 0:
                store.close()
                (host, store) = try open(events: 6)
            case 1: await store.flush()
            case 2...4: host.publish(.element(RawJSON("other")), of: "loose", at: 1)
            default:
                let index = Int.random(in: 0..<4, using: &random)
                host.publish(Self.news[index].0, of: "kept", at: 1)
                told.append((host.log.cursor, Self.news[index].1, kinds[index]))
            }
        }
        await store.flush()
        #expect(try await read(host, source(host, "kept"), from: .time(2)) == [])
        for index in told.indices {
            let wanted = EventKinds(rawValue: [0b0100_0001, 0b1000_0010, 0b1111_1111].randomElement(using: &random)!)
            let read = try await read(host, source(host, "kept"), wanted, from: .cursor(told[index].cursor))
            #expect(read == told[(index + 1)...].filter { wanted.contains($0.kind) }.map(\.text))
        }
        store.close()
    }

    @Test("reach readers that came after the streams, whether or not the store keeps them")
    func listener() async throws {
        let host = Host(store: try file.open())
        // Streams are configured before there is a server.
        host.streams = ["loose": FakeStream("loose")]
        let woken = Heard<Bool>()
        host.log.setListener { woken.add(true) }
        #expect(woken.values.count == 1)
        _ = try host.log.open(source(host, "loose"), .all, from: .now).get()
        _ = host.log.drain()
        host.publish(.element(.true), of: "loose", at: 1)
        #expect(woken.values.count == 2 && host.log.drain().events.map(\.text) == ["element true"])
        host.store?.close()
    }

    @Test("leave by themselves: many elements push out no events of actions, and their readers know what is gone")
    func retention() async throws {
        var retention = ExecutionStore.Retention()
        retention.count = 10
        let (host, store) = try open(retention, events: 4)
        let begin = host.log.cursor
        for index in 0..<100 { host.publish(.element(RawJSON(JSONValue(index))), of: "kept", at: 1) }
        await store.flush()
        #expect(await eventually { store.marks.streams >= begin + 90 })
        #expect(store.marks.last(of: [.executions, .others]) < begin)
        let kept = (90..<100).map { "element \($0)" }
        #expect(try await read(host, source(host, "kept"), from: .cursor(begin)) == ["lost some"] + kept)
        #expect(try await read(host, source(host, "kept"), from: .cursor(store.marks.streams)) == kept)
        store.close()
    }

    @Test("of one kind are no loss for the readers of another one, if they leave")
    func kinds() async throws {
        var retention = ExecutionStore.Retention()
        retention.count = 10
        let (host, store) = try open(retention, events: 4)
        let begin = host.log.cursor
        host.publish(.firing(RawJSON("g")), of: "kept", at: 1)
        let fired = host.log.cursor
        for index in 0..<100 { host.publish(.element(RawJSON(JSONValue(index))), of: "kept", at: 1) }
        await store.flush()
        #expect(await eventually { store.marks.streams >= begin + 91 })
        #expect(try await read(host, source(host, "kept"), [.errors, .firings], from: .cursor(fired)) == [])
        #expect(try await read(host, source(host, "kept"), .firings, from: .cursor(begin)) == ["lost some"])
        let elements = try await read(host, source(host, "kept"), [.elements, .firings], from: .cursor(fired))
        #expect(elements.first == "lost some" && elements.count == 11)
        store.close()
    }

    @Test("are kept from the reload on that has the stream persist")
    func reload() async throws {
        var (host, store) = try open()
        host.publish(.element(RawJSON("before")), of: "loose", at: 1)
        host.streams = ["loose": FakeStream("loose", persists: true)]
        let cursor = host.log.cursor
        host.publish(.element(RawJSON("after")), of: "loose", at: 1)
        await store.flush()
        store.close()
        store = try file.open()
        host = Host(store: store)
        host.streams = ["loose": FakeStream("loose", persists: true)]
        #expect(try await read(host, source(host, "loose"), .elements, from: .cursor(cursor)) == [#"element "after""#])
        store.close()
    }
}

/// A stream that does nothing by itself.
final class FakeStream: HostedStream {
    let name: String
    let isPersistent: Bool
    let places: [String]
    private let taps = Locked<[String: @Sendable (RawJSON, Int64) -> Void]>([:])

    init(_ name: String, persists: Bool = false, places: [String] = ["0"]) {
        self.name = name
        self.places = places
        isPersistent = persists
    }

    var access: Access? { nil }
    var related: Set<String> { [] }
    var targets: [String] { [] }
    var readsMachine: Bool { false }
    var isSubject: Bool { false }
    var summary: JSONObject { [:] }
    var details: JSONObject { [:] }
    func graph(for view: StreamView) -> JSONObject { [:] }
    func inject(_ value: RawJSON?, causes: Causes) {}
    var disabledReason: String? { nil }
    func set(_ manual: ManualSwitch?) {}

    func tap(_ place: String, _ body: (@Sendable (RawJSON, Int64) -> Void)?) {
        taps.withLock { $0[place] = body }
    }

    /// The places that are tapped.
    var tapped: [String] { taps.withLock { $0.keys.sorted() } }

    /// Lets an element pass a step.
    func pass(_ value: RawJSON, _ place: String) { taps.withLock { $0[place] }?(value, 5) }
}
