import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("Catching up", .countedApart)
struct CatchUpTests {
    private static let events: EventKinds = [.elements, .errors, .executions]

    private static func limits(events: Int = 10_000, bytes: Int = 4 << 20) -> CatchUpLimits {
        var limits = CatchUpLimits()
        limits.events = events
        limits.bytes = bytes
        return limits
    }

    /// Everything that a reader receives until it has caught up.
    private struct Received {
        var texts: [String] = []
        var cursors: [UInt64] = []
        var lost = 0
        var lags: [(first: UInt64, last: UInt64)] = []
        var portions = 0

        mutating func add(_ portion: CatchUpPortion) {
            portions += 1
            for item in portion.items {
                switch item {
                case .event(let event):
                    texts.append(event.text)
                    cursors.append(event.cursor)
                case .encoded: Issue.record("nothing is encoded without an encoder")
                case .lost(let count, let first, let last):
                    texts.append("lost \(count.map { "\($0)" } ?? "some")")
                    lost += count ?? 0
                    lags.append((first, last))
                }
            }
        }

        var elements: [String] { texts.filter { $0.hasPrefix("element ") } }
    }

    private func read(
        _ host: Host, _ source: EventSource, _ kinds: EventKinds, _ position: CatchUpPosition?,
        between: () -> Void = {}
    ) -> Received {
        var told = Received()
        guard var position else { return told }
        while true {
            let portion = host.log.nextPortion(of: source, kinds, after: &position)
            told.add(portion)
            if portion.isComplete { return told }
            between()
        }
    }

    private func read(
        _ host: Host, _ source: EventSource, _ kinds: EventKinds, from start: EventStart, between: () -> Void = {}
    ) throws -> Received {
        let opening = try host.log.open(source, kinds, from: start).get()
        defer { host.log.unwatch(source) }
        return read(host, source, kinds, opening.position, between: between)
    }

    @Test("is cut into portions that together are everything, once and in order")
    func portions() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        let count = 3 * CatchUpPortion.eventsTaken + 1
        for number in 0..<count { puppet.send("\(number)") }
        let told = try read(host, .named([action]), .elements, from: .cursor(0))
        #expect(told.texts == (0..<count).map { "element \($0)" })
        #expect(told.portions == 4)
        #expect(told.cursors == told.cursors.sorted())
    }

    @Test("is cut by bytes too, and an element larger than a portion is one")
    func portionBytes() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        let large = String(repeating: "1", count: CatchUpPortion.bytesTaken + 1)
        for _ in 0..<3 { puppet.send(large) }
        let told = try read(host, .named([action]), .elements, from: .cursor(0))
        #expect(told.texts == Array(repeating: "element " + large, count: 3))
        #expect(told.portions >= 3)
    }

    @Test("has later events in its later portions, nothing twice")
    func meanwhile() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        var sent = 600
        for number in 0..<sent { puppet.send("\(number)") }
        let told = try read(host, .named([action]), .elements, from: .cursor(0)) {
            for _ in 0..<100 {
                puppet.send("\(sent)")
                sent += 1
            }
        }
        #expect(told.texts == (0..<sent).map { "element \($0)" })
        #expect(sent > 600)
    }

    @Test(
        "counts exactly the dropped events of an action, for any position of its reader", arguments: [1, 10, 255, 700])
    func lostOfAction(_ kept: Int) throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()], catchUp: Self.limits(events: kept))
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        let opening = try host.log.open(.named([action]), .elements, from: .now).get()
        var position = CatchUpPosition(cursor: opening.cursor, seen: [action.ring.published])
        // The reader sees ten; then come more than are kept.
        for number in 0..<10 { puppet.send("\(number)") }
        let first = host.log.nextPortion(of: .named([action]), .elements, after: &position)
        let gone = max(0, 10 - kept)
        #expect(first.isComplete)
        var told = Received()
        told.add(first)
        #expect(told.lost == gone && told.elements.count == 10 - gone)
        let more = 1000
        for number in 0..<more { puppet.send("\(number)") }
        let rest = read(host, .named([action]), .elements, position)
        #expect(rest.lost == more - kept)
        #expect(rest.elements == (more - kept..<more).map { "element \($0)" })
        #expect(rest.texts.first == "lost \(more - kept)", "it comes before what follows, once")
        #expect(rest.lags.count == 1)
        #expect(rest.lags[0].first > first.cursor && rest.lags[0].last < rest.cursors[0])
    }

    @Test("that is overtaken between its portions reports how many events are lost")
    func overtaken() throws {
        let puppet = Puppet()
        let kept = 400
        let host = Host([puppet.definition()], catchUp: Self.limits(events: kept))
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        var sent = 0
        func send(_ count: Int) {
            for _ in 0..<count {
                puppet.send("\(sent)")
                sent += 1
            }
        }
        send(300)
        var rounds = 0
        let told = try read(host, .named([action]), .elements, from: .cursor(0)) {
            rounds += 1
            if rounds <= 3 { send(1000) }
        }
        #expect(sent > 1000)
        #expect(told.elements.count + told.lost == sent)
        #expect(told.lost > 0)
        #expect(told.cursors == told.cursors.sorted() && Set(told.cursors).count == told.cursors.count)
        #expect(told.elements.last == "element \(sent - 1)")
    }

    @Test("counts exactly the dropped events of an execution next to another of the same action")
    func lostOfExecution() throws {
        let puppet = Puppet()
        var definition = puppet.definition()
        definition.overlap = .concurrent(limit: 2)
        let host = Host([definition], catchUp: Self.limits(events: 100))
        let action = try #require(host.registry["puppet"])
        let one = try host.execute(action, .own()).get()
        let other = try host.execute(action, .own()).get()
        // Each element is published for both.
        for number in 0..<500 { puppet.send("\(number)") }
        for execution in [one, other] {
            let told = try read(host, .executions([execution]), Self.events, from: .executing)
            #expect(told.elements == (450..<500).map { "element \($0)" })
            #expect(told.lost == 450 + 1, "the elements, and the record of its start")
        }
        let both = try read(host, .executions([one, other]), .elements, from: .executing)
        #expect(both.elements.count == 100 && both.lost == 900)
        #expect(both.cursors == both.cursors.sorted())
        puppet.complete()
        let ended = try read(host, .executions([one]), Self.events, from: .executing)
        #expect(ended.elements.count + ended.texts.count { $0 == "execution completed" } + ended.lost == 502)
        #expect(ended.texts.last == "execution completed")
    }

    @Test("of an execution of which nothing is kept is one lag")
    func allLost() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition(), Builtin.echo.definition(name: "echo")], catchUp: Self.limits(events: 3))
        let action = try #require(host.registry["puppet"])
        let execution = try host.execute(action, .own()).get()
        for number in 0..<7 { puppet.send("\(number)") }
        puppet.complete()
        let second = Puppet()
        host.reload([second.definition(fingerprint: "second")])
        _ = try host.execute(action, .own()).get()
        for number in 0..<7 { second.send("\(number)") }
        let told = try read(host, .executions([execution]), Self.events, from: .executing)
        #expect(told.texts == ["lost 9"], "seven elements and two records")
    }

    @Test("of several actions has their events in the order in which they happened")
    func merged() throws {
        let puppets = (0..<3).map { _ in Puppet() }
        let host = Host(puppets.enumerated().map { $1.definition(name: "p\($0)") })
        let actions = host.registry.actions
        for action in actions { _ = try host.execute(action, .own()).get() }
        var expected: [String] = []
        // Long runs and alternations, so that portions end amid either.
        for number in 0..<2000 {
            puppets[number < 900 ? (number / 300) % 3 : number % 3].send("\(number)")
            expected.append("element \(number)")
        }
        for source in [actions, actions.reversed()] {
            let told = try read(host, .named(source), .elements, from: .cursor(0))
            #expect(told.texts == expected)
            #expect(told.portions >= 2000 / CatchUpPortion.eventsTaken)
        }
    }

    @Test("of several actions, one of which has lost something, still has everything that is kept")
    func mergedWithLosses() throws {
        let puppets = (0..<2).map { _ in Puppet() }
        let host = Host(puppets.enumerated().map { $1.definition(name: "p\($0)") }, catchUp: Self.limits(events: 300))
        let actions = host.registry.actions
        for action in actions { _ = try host.execute(action, .own()).get() }
        let opening = try host.log.open(.named(actions), .elements, from: .now).get()
        let position = CatchUpPosition(cursor: opening.cursor, seen: actions.map(\.ring.published))
        for number in 0..<2000 { puppets[number % 10 == 0 ? 1 : 0].send("\(number)") }
        let told = read(host, .named(actions), .elements, position)
        #expect(told.lost == 1800 - 300, "of the one all but those kept, of the other none")
        #expect(told.elements.count == 300 + 200)
        #expect(told.cursors == told.cursors.sorted())
        host.log.unwatch(.named(actions))
    }

    @Test("has of a level the newest, and only if it changed since")
    func levels() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        let kinds: EventKinds = [.executing, .enabled, .elements]
        let idle = host.log.cursor
        _ = try host.execute(action, .own()).get()
        let busy = host.log.cursor
        puppet.send("1")
        var told = try read(host, .named([action]), kinds, from: .cursor(busy))
        #expect(told.texts == ["element 1"], "nothing has changed since")
        told = try read(host, .named([action]), kinds, from: .cursor(idle))
        #expect(told.texts == ["executing true", "enabled false", "element 1"])
        puppet.complete()
        told = try read(host, .named([action]), kinds, from: .cursor(idle))
        #expect(told.texts == ["element 1", "executing false", "enabled true"])
        told = try read(host, .named([action]), [.enabled], from: .cursor(busy))
        #expect(told.texts == ["enabled true"])
        told = try read(host, .named([action]), kinds, from: .cursor(host.log.cursor))
        #expect(told.texts == [])
    }

    @Test("has brief executions and longer ones alike, from any cursor", arguments: [10_000, 50])
    func mixed(_ kept: Int) throws {
        let puppet = Puppet()
        let host = Host([Builtin.echo.definition(name: "both")], catchUp: Self.limits(events: kept))
        let action = try #require(host.registry["both"])
        var elements: [String] = []
        for number in 0..<40 {
            if number % 3 == 0 {
                let long = Puppet()
                host.reload([long.definition(name: "both", fingerprint: "\(number)")])
                _ = try host.execute(action, .own()).get()
                long.send("\(number)")
                long.complete()
            } else {
                host.reload([Builtin.echo.definition(name: "both")])
                let brief = host.executeBriefly(action, RawJSON(unchecked: Array("\(number)".utf8)), by: .host)
                #expect(brief != nil)
            }
            elements.append("element \(number)")
        }
        _ = puppet
        let begin = CatchUpPosition(cursor: 0, seen: [KindCounts()])
        let all = read(host, .named([action]), Self.events, begin)
        #expect(all.texts.count { !$0.hasPrefix("lost") } + all.lost == 120)
        #expect(all.elements == Array(elements.suffix(all.elements.count)))
        #expect((all.lost == 0) == (kept > 120))
        #expect(all.cursors == all.cursors.sorted())
        // From each remaining cursor, exactly the events after it; from an older one, none.
        for (index, cursor) in all.cursors.enumerated() {
            let told = try read(host, .named([action]), Self.events, from: .cursor(cursor))
            try #require(told.cursors == Array(all.cursors[(index + 1)...]) && told.lost == 0)
        }
        if kept < 120 {
            let oldest = action.ring.evictedThrough.newest(of: Self.events)
            #expect(throws: EventStartRefusal.expired(oldest: oldest)) {
                try host.log.open(.named([action]), Self.events, from: .cursor(oldest - 1)).get()
            }
            let told = try read(host, .named([action]), Self.events, from: .cursor(oldest))
            #expect(told.cursors == all.cursors)
        }
    }

    // MARK: What the log has no room for

    @Test(
        "continues where the log left events out: with all kept events and the exact number of dropped ones",
        arguments: [PendingEvents.eventsKept * 2, 1000])
    func skip(_ kept: Int) throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()], catchUp: Self.limits(events: kept, bytes: 1 << 30))
        let action = try #require(host.registry["puppet"])
        let execution = try host.execute(action, .own()).get()
        puppet.send("-1")
        for source in [EventSource.named([action]), .executions([execution])] {
            _ = try host.log.open(source, .elements, from: .now).get()
            _ = host.log.drain()
            let count = PendingEvents.eventsKept + 5000
            for number in 0..<count { puppet.send("\(number)") }
            let (events, skippedFrom) = host.log.drain()
            #expect(events.count == PendingEvents.eventsKept)
            let begin = try #require(skippedFrom)
            #expect(begin == events.last!.cursor + 1)
            #expect(host.log.drainedThrough == begin - 1, "the reader lacks what was left out, whatever comes after")
            let position = host.log.positionAtSkip(source, before: begin)
            host.log.goOn()
            puppet.send("\(count)")
            let told = read(host, source, .elements, position)
            let left = 5001
            #expect(told.elements.count == min(left, kept))
            #expect(told.lost == max(0, left - kept))
            #expect(told.elements.last == "element \(count)")
            #expect(told.elements.first == "element \(count + 1 - min(left, kept))")
            // And the log is as before.
            let after = host.log.drain()
            #expect(after.events.map(\.text) == ["element \(count)"] && after.skippedFrom == nil)
            host.log.unwatch(source)
        }
    }

    @Test("does not begin before its snapshot, though the log left events out before that")
    func openedWhileSkipping() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        host.log.watch([action])
        for number in 0..<PendingEvents.eventsKept + 10 { puppet.send("\(number)") }
        // The reader of the log has not come by yet.
        let opening = try host.log.open(.named([action]), .elements, from: .now).get()
        #expect(opening.cursor == host.log.cursor)
        puppet.send("true")
        let told = read(host, .named([action]), .elements, opening.position) { host.log.goOn() }
        #expect(told.texts == ["element true"])
    }

    @Test("has the end of an execution where its event is, whatever its record is by now")
    func endBeforeWritten() async throws {
        let file = StoreFile()
        let store = try file.open()
        let puppet = Puppet()
        let host = Host(
            [
                ActionDefinition(
                    name: "puppet", kind: "test", scheduler: .inline, keepsHistory: true, fingerprint: ""
                ) { _ in puppet.subject.asObservable() }
            ], store: store)
        store.writes.queue.hang()
        let execution = try host.execute(try #require(host.registry["puppet"]), .own()).get()
        puppet.send("1")
        puppet.subject.onCompleted()
        let record = host.log.record(of: execution)
        #expect(record.state == .completed)
        let sources = try [execution, #require(host.past(record))].map { EventSource.executions([$0]) }
        var positions: [CatchUpPosition] = []
        for source in sources {
            let opening = try host.log.open(source, Self.events, from: .executing).get()
            var position = try #require(opening.position)
            var ended = false
            while true {
                let portion = host.log.nextPortion(of: source, Self.events, after: &position)
                for case .event(let event) in portion.items where event.text == "execution completed" { ended = true }
                guard portion.isComplete else { continue }
                #expect(portion.ended.count == (ended ? 1 : 0), "as the reader has it")
                break
            }
            positions.append(position)
        }
        store.writes.queue.resume()
        await store.flush()
        for (source, var position) in zip(sources, positions) {
            let portion = host.log.nextPortion(of: source, Self.events, after: &position)
            #expect(portion.isComplete && portion.ended.map(\.state) == [.completed])
            host.log.unwatch(source)
        }
        store.close()
    }

    @Test(
        "is not complete before the disk has what the log left out meanwhile",
        arguments: [PendingEvents.eventsKept * 2, 1000])
    func skipBeforeWritten(_ kept: Int) async throws {
        let file = StoreFile()
        let store = try file.open()
        let puppet = Puppet()
        func definition(_ name: String, _ work: @escaping @Sendable () -> Observable<RawJSON>) -> ActionDefinition {
            ActionDefinition(
                name: name, kind: "test", scheduler: .inline, keepsHistory: true, fingerprint: ""
            ) { _ in work() }
        }
        let host = Host(
            [definition("puppet") { puppet.subject.asObservable() }, definition("other") { .just(.null) }],
            store: store, catchUp: Self.limits(events: kept, bytes: 1 << 30))
        let (action, other) = (try #require(host.registry["puppet"]), try #require(host.registry["other"]))
        let execution = try host.execute(action, .own()).get()
        host.log.watch([action, other])
        await store.flush()
        _ = host.log.drain()
        for number in 0..<PendingEvents.eventsKept { puppet.send("\(number)") }
        // All that is pending may be delivered; what follows is left out, and waits for the disk.
        store.writes.queue.hang()
        _ = host.execute(other, .own())
        let count = 3000
        for number in 0..<count { puppet.send("-\(number + 1)") }
        let sources = [EventSource.named([action]), .executions([execution]), .named([other])]
        let begin = try #require(host.log.drain().skippedFrom)
        var positions = sources.map { host.log.positionAtSkip($0, before: begin) }
        host.log.goOn()
        for (place, source) in sources.enumerated() {
            let portion = host.log.nextPortion(of: source, Self.events, after: &positions[place])
            #expect(portion.items.isEmpty && !portion.isComplete)
        }
        store.writes.queue.resume()
        await store.flush()
        for place in sources.indices {
            var told = Received()
            while true {
                let portion = host.log.nextPortion(of: sources[place], Self.events, after: &positions[place])
                told.add(portion)
                if portion.isComplete { break }
                await host.log.read(portion.need, of: sources[place], Self.events, for: &positions[place])
            }
            #expect(told.elements.count + told.lost == (place == 2 ? 1 : count))
            #expect(told.elements.last == (place == 2 ? "element null" : "element -\(count)"))
            #expect(told.lost == 0 || kept < count)
            #expect(told.lags.allSatisfy { begin <= $0.first && $0.last - $0.first >= told.lost - 1 })
        }
        store.close()
    }
}
