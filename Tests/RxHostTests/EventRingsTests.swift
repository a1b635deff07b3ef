import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("The event rings of a host", .countedApart)
struct EventRingsTests {
    private let action: HostedAction
    private let host: Host

    init() throws {
        host = Host([Builtin.echo.definition(name: "echo")])
        action = try #require(host.registry["echo"])
    }

    /// Rings with one limit, and a cursor.
    private struct Model {
        var rings: EventRings
        let all: [EventRing]
        let action: HostedAction
        var cursor: UInt64 = 0

        init(_ count: Int, limit: Int, _ action: HostedAction) {
            rings = EventRings(limit)
            all = (0..<count).map { _ in EventRing(CatchUpLimits()) }
            self.action = action
        }

        /// Appends an element, which takes `size` bytes together with its event.
        mutating func append(to index: Int, size: Int) {
            cursor += 1
            let text = [UInt8](repeating: UInt8(ascii: "1"), count: size - HostEvent.ownCost)
            let event = HostEvent(
                cursor: cursor, time: 0, source: action, execution: nil, ordinal: 0,
                change: .element(RawJSON(unchecked: text)))
            rings.append(event, .event(event), to: all[index], skip: 0)
        }

        mutating func appendBrief(to index: Int) {
            let brief = BriefExecution(
                id: ExecutionID(), action: action, causes: Causes(.host), input: nil,
                result: .success(RawJSON(unchecked: Array("1".utf8))), disables: false)
            brief.base = cursor
            cursor = brief.lastCursor
            rings.append(brief, to: all[index], skip: 0)
        }

        var sizes: [Int] { all.map(\.bytes) }
        var evicted: [UInt64] { all.map { $0.evicted.sum(of: .all) } }
        /// Whether the account is that of the rings.
        var isExact: Bool { rings.bytes == sizes.reduce(0, +) && rings.count == sizes.count { $0 > 0 } }
    }

    @Test("take no more than their limit together, whatever comes, and those below the largest lose nothing")
    func limit() {
        let limit = 64 << 10
        var model = Model(20, limit: limit, action)
        var random = SplitMix(1)
        var evictions = 0
        for _ in 0..<20_000 {
            // Rings with a smaller index get more.
            let index = min(Int(random.next() % 20), Int(random.next() % 20))
            let before = (sizes: model.sizes, evicted: model.evicted)
            let size = 200 + Int(random.next() % 800)
            if random.next() % 4 == 0 { model.appendBrief(to: index) } else { model.append(to: index, size: size) }
            #expect(model.isExact)
            #expect(model.rings.bytes <= limit)
            let losers = (0..<20).filter { model.evicted[$0] > before.evicted[$0] }
            guard !losers.isEmpty else { continue }
            evictions += 1
            // What has come has at most a thousand bytes.
            let least = losers.map { before.sizes[$0] }.min() ?? 0
            #expect((0..<20).allSatisfy { losers.contains($0) || before.sizes[$0] <= least + 1000 })
        }
        #expect(evictions > 1000)
        #expect(model.rings.bytes > limit * 9 / 10)
    }

    @Test("give way from the largest on: one that has little keeps it")
    func largest() {
        var model = Model(3, limit: 100_000, action)
        for _ in 0..<20 { model.append(to: 0, size: 1000) }
        for _ in 0..<30 { model.append(to: 1, size: 1000) }
        for _ in 0..<1000 { model.append(to: 2, size: 1000) }
        #expect(model.evicted[0] == 0 && model.evicted[1] == 0)
        #expect(950...951 ~= model.evicted[2], "one event may have made room for the next")
        for _ in 0..<1000 { model.append(to: 1, size: 1000) }
        #expect(model.evicted[0] == 0)
        #expect(abs(model.sizes[1] - model.sizes[2]) <= 1000, "the two share what is left")
    }

    @Test("keep the newest event of each name before older ones of smaller names")
    func newest() {
        var model = Model(5, limit: 100_000, action)
        for index in 0..<4 {
            for _ in 0..<20 { model.append(to: index, size: 1000) }
        }
        model.append(to: 4, size: 60_000)
        #expect(model.evicted[4] == 0)
        #expect(model.sizes[4] == 60_000 && model.rings.bytes <= 100_000)
        #expect(model.sizes[0..<4].allSatisfy { 9000...10_000 ~= $0 })
        for _ in 0..<5 { model.append(to: 4, size: 1000) }
        #expect(model.evicted[4] == 1 && model.sizes[4] == 5000, "it is not the newest any more")
    }

    @Test("give up newest events, too, where these alone take too much, first that of the name that is silent longest")
    func newestTooLarge() {
        var model = Model(5, limit: 100_000, action)
        for index in [3, 1, 4, 0, 2] { model.append(to: index, size: 25_000) }
        #expect(model.evicted == [0, 0, 0, 1, 0] || model.evicted == [0, 1, 0, 1, 0])
        #expect(model.rings.bytes <= 100_000 && model.isExact)
        model.append(to: 0, size: 200_000)
        #expect(model.rings.bytes <= 100_000 && model.isExact)
        #expect(model.sizes[0] == 0, "it is larger than the limit")
    }

    @Test("a limit of zero keeps nothing, and counts everything")
    func none() {
        var model = Model(2, limit: 0, action)
        for index in [0, 1, 1] { model.append(to: index, size: 300) }
        #expect(model.sizes == [0, 0] && model.evicted == [1, 2])
        #expect(model.rings.count == 0 && model.isExact)
    }

    @Test("have the same order after much has left, and gone")
    func order() {
        var model = Model(2, limit: 300_000, action)
        for _ in 0..<1000 { model.append(to: 0, size: 250) }
        for _ in 0..<300 { model.append(to: 1, size: 1000) }
        for _ in 0..<10 { model.append(to: 0, size: 60_000) }
        for _ in 0..<40 { model.append(to: 0, size: 250) }
        var cursors: [UInt64] = []
        model.all[0].forEach(after: 0) { event in
            cursors.append(event.cursor)
            return true
        }
        #expect(cursors.count > 40)
        #expect(cursors == cursors.sorted() && cursors.last == model.cursor)
        #expect(model.all[0].published.elements == model.all[0].evicted.elements + UInt64(cursors.count))
    }

    // MARK: In a host

    private func limits(ofAll bytes: Int) -> CatchUpLimits {
        var limits = CatchUpLimits()
        limits.bytesOfAll = bytes
        return limits
    }

    private func read(_ host: Host, _ sources: [Hosted], _ position: CatchUpPosition) -> (elements: Int, lost: Int) {
        var position = position
        var (elements, lost) = (0, 0)
        while true {
            let portion = host.log.nextPortion(of: .named(sources), .elements, after: &position)
            for item in portion.items {
                switch item {
                case .event, .encoded: elements += 1
                case .lost(let count, _, _): lost += count ?? 1_000_000
                }
            }
            if portion.isComplete { return (elements, lost) }
        }
    }

    @Test("a reader of a name that gave way gets the number of what it lost, and readers of others lose nothing")
    func readers() throws {
        let puppets = (0..<30).map { _ in Puppet() }
        let host = Host(puppets.enumerated().map { $1.definition(name: "p\($0)") }, catchUp: limits(ofAll: 100_000))
        let actions = host.registry.actions
        for action in actions { _ = try host.execute(action, .own()).get() }
        let position = CatchUpPosition(cursor: host.log.cursor, seen: [])
        func start(_ action: HostedAction) -> CatchUpPosition {
            CatchUpPosition(cursor: position.cursor, seen: [action.ring.published])
        }
        let starts = actions.map(start)
        let all = CatchUpPosition(cursor: position.cursor, seen: actions.map(\.ring.published))
        let loud = try #require(puppets.first)
        for number in 0..<2000 {
            loud.send("\(number)")
            if number % 200 == 0 { for puppet in puppets.dropFirst() { puppet.send("\(number)") } }
        }
        let name = try #require(actions.firstIndex { $0.name == "p0" })
        let kept = Int(actions[name].ring.published.elements - actions[name].ring.evicted.elements)
        #expect(kept < 400, "the others take most of the room")
        for (index, action) in actions.enumerated() {
            let received = read(host, [action], starts[index])
            if index == name {
                #expect(received == (kept, 2000 - kept))
            } else {
                #expect(received == (10, 0))
            }
        }
        #expect(read(host, actions, all) == (kept + 29 * 10, 2000 - kept))
        #expect(host.log.read { $0.rings.bytes } <= 100_000)
    }

    @Test("brief executions of many names keep the limit, too")
    func brief() throws {
        let host = Host(
            (0..<50).map { Builtin.echo.definition(name: "echo\($0)") }, catchUp: limits(ofAll: 200_000))
        for _ in 0..<100 {
            for action in host.registry.actions { _ = try #require(host.executeBriefly(action, .true, by: .host)) }
        }
        let (bytes, count) = host.log.read { ($0.rings.bytes, $0.rings.count) }
        #expect(bytes <= 200_000 && bytes > 180_000 && count == 50)
        #expect(bytes == host.registry.actions.reduce(0) { $0 + $1.ring.bytes })
    }

    @Test("reloads that rename an action again and again keep the limit, and the account is that of all names")
    func renames() throws {
        let host = Host([], catchUp: limits(ofAll: 50_000))
        for number in 0..<1000 {
            host.reload([Builtin.echo.definition(name: "echo\(number % 100)")])
            let action = try #require(host.registry.actions.first)
            for _ in 0..<3 { _ = try #require(host.executeBriefly(action, .true, by: .host)) }
            #expect(host.log.read { $0.rings.bytes } <= 50_000)
        }
        let actions = host.registry.actions + host.retiredActions
        let (bytes, count) = host.log.read { ($0.rings.bytes, $0.rings.count) }
        #expect(actions.count == 100)
        #expect(bytes == actions.reduce(0) { $0 + $1.ring.bytes } && bytes > 40_000)
        #expect(count == actions.count { $0.ring.bytes > 0 })
    }

    @Test("the events of a step that nobody taps any more leave, and its feed with them")
    func taps() throws {
        let host = Host()
        let stream = FakeStream("saves", places: ["0"])
        host.streams = ["saves": stream]
        weak var left: TapFeed?
        for _ in 0..<10 {
            let feed = try #require(host.tap("0", of: "saves"))
            _ = try host.log.open(.named([feed]), .elements, from: .now).get()
            stream.pass(.true, "0")
            #expect(host.log.read { $0.rings.count } == 1)
            host.log.unwatch(.named([feed]))
            _ = host.log.drain()
            #expect(host.log.read { ($0.rings.count, $0.rings.bytes) } == (0, 0))
            left = feed
        }
        #expect(left == nil)
    }
}
