import RxJSON
import Testing
import TestSupport

@testable import RxHost

@Suite("The taps of a stream")
struct TapTests {
    private let host = Host()
    private let stream = FakeStream("saves", places: ["0", "1", "2.1"])

    private func open(_ feed: TapFeed, from start: EventStart = .now) throws {
        _ = try host.log.open(.named([feed]), .elements, from: start).get()
    }

    private func texts(_ feed: TapFeed) -> [String] {
        host.log.drain().events.filter { $0.source === feed }.map(\.text)
    }

    @Test("publish what passes a step while someone reads, and to none but those who read the step")
    func passing() throws {
        host.streams = ["saves": stream]
        let feed = try #require(host.tap("2.1", of: "saves"))
        #expect(stream.tapped.isEmpty)
        try open(feed)
        #expect(stream.tapped == ["2.1"])
        stream.pass(.false, "1")
        #expect(texts(feed).isEmpty, "another step")
        stream.pass(.true, "2.1")
        #expect(texts(feed) == ["element true"])
        #expect(host.tap("2.1", of: "saves") === feed, "others share it")
        #expect(!feed.isListed)
        try open(feed)
        host.log.unwatch(.named([feed]))
        #expect(stream.tapped == ["2.1"])
        host.log.unwatch(.named([feed]))
        #expect(stream.tapped.isEmpty)
    }

    @Test("have no past: a reader that comes back later is informed that elements may be missing")
    func past() throws {
        host.streams = ["saves": stream]
        let feed = try #require(host.tap("1", of: "saves"))
        try open(feed)
        stream.pass(.true, "1")
        let cursor = host.log.cursor
        try open(feed, from: .cursor(cursor))
        for _ in 0..<2 { host.log.unwatch(.named([feed])) }
        host.publish(.element(.true), of: "saves", at: 1)
        let later = try #require(host.tap("1", of: "saves"))
        #expect(later !== feed)
        #expect(throws: EventStartRefusal.expired(oldest: host.log.cursor)) { try open(later, from: .cursor(cursor)) }
    }

    @Test("go on in the stream of a reload, and end where their step is gone")
    func reload() throws {
        host.streams = ["saves": stream]
        let (first, second) = (try #require(host.tap("1", of: "saves")), try #require(host.tap("2.1", of: "saves")))
        try open(first)
        try open(second)
        _ = host.log.drain()
        let next = FakeStream("saves", places: ["0", "1"])
        host.streams = ["saves": next]
        #expect(next.tapped == ["1"])
        next.pass(.true, "1")
        let events = host.log.drain().events
        #expect(events.filter { $0.source === first }.map(\.text) == ["changed", "element true"])
        #expect(events.filter { $0.source === second }.map(\.text) == ["removed"])
    }

    @Test("exist for the steps of the stream alone")
    func places() {
        host.streams = ["saves": stream]
        #expect(host.tap("3", of: "saves") == nil && host.tap("1", of: "others") == nil)
    }
}
