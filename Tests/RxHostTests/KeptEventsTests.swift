import Rx
import RxAction
import RxJSON
import RxPlatform
import RxReactor
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Events that outlive their host.
@Suite("Events in the store", .countedApart)
struct KeptEventsTests {
    private let file = StoreFile()

    private func definition(_ puppet: Puppet, history: Bool = true, overlap: Overlap = .reject) -> ActionDefinition {
        var definition = puppet.definition()
        definition.keepsHistory = history
        definition.overlap = overlap
        return definition
    }

    /// What a reader receives, as words: the events, and `lost` where some are missing.
    private func read(
        _ host: Host, _ source: EventSource, _ kinds: EventKinds, from start: EventStart
    ) async throws -> [String] {
        try await host.read(source, kinds, from: start)
    }

    private func source(_ host: Host, _ name: String = "puppet") throws -> EventSource {
        .named([try #require(host.registry[name])])
    }

    /// Runs one execution with an element, which fails, and refuses an input meanwhile.
    private func fail(_ puppet: Puppet, in host: Host) throws {
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        _ = host.execute(action, .own())
        puppet.send("1")
        puppet.subject.onError(WorkFailure(message: "no"))
    }

    @Test("report a durable input that cannot start again, in this host and in the next")
    func cannotStart() async throws {
        let puppet = Puppet()
        var durable = definition(puppet, overlap: .queue(limit: 10))
        durable.isDurable = true
        let store = try file.open()
        let first = Host([durable], store: store)
        _ = first.resume()
        let action = try #require(first.registry["puppet"])
        _ = try first.execute(action, .own()).get()
        _ = try first.execute(action, .own()).get()
        await store.flush()
        let cursor = first.log.cursor
        await withCheckedContinuation { continuation in first.stop { continuation.resume() } }
        store.close()

        var plain = durable
        plain.isDurable = false
        for _ in 0..<2 {
            let store = try file.open()
            let host = Host([plain], store: store)
            _ = host.resume()
            await store.flush()
            let read = try await read(host, source(host), [.errors, .executions], from: .cursor(cursor))
            #expect(read.suffix(2) == ["failure interrupted", "execution interrupted"], "\(read)")
            #expect(!read.contains { $0.hasPrefix("lost") } && host.log.cursor > cursor)
            store.close()
        }
    }

    @Test("report an input that cannot start again also to a reader who comes before the disk has taken that")
    func cannotStartYet() async throws {
        let puppet = Puppet()
        var durable = definition(puppet, overlap: .queue(limit: 10))
        durable.isDurable = true
        let store = try file.open()
        let first = Host([durable], store: store)
        _ = first.resume()
        let action = try #require(first.registry["puppet"])
        for _ in 0..<2 { _ = try first.execute(action, .own()).get() }
        await store.flush()
        let cursor = first.log.cursor
        await withCheckedContinuation { continuation in first.stop { continuation.resume() } }
        store.close()

        durable.isDurable = false
        let again = try file.open()
        defer { again.close() }
        let host = Host([durable], store: again)
        await again.flush()
        again.writes.queue.hang()
        _ = host.resume()
        let early = try await read(host, source(host), [.errors, .executions], from: .cursor(cursor))
        #expect(!early.contains("failure interrupted"))
        again.writes.queue.resume()
        await again.flush()
        #expect(await eventually { host.log.isSettled })
        #expect(host.log.drain().events.map(\.text).suffix(2) == ["failure interrupted", "execution interrupted"])
    }

    @Test("are read by their cursors in the next host, without those that were read before")
    func restart() async throws {
        var store = try file.open()
        let puppet = Puppet()
        var host = Host([definition(puppet)], store: store)
        let epoch = host.epoch
        try fail(puppet, in: host)
        await store.flush()
        let first = host.log.cursor
        // Its work has ended: the next execution fails at once.
        _ = try host.execute(try #require(host.registry["puppet"]), .own()).get()
        store.close()
        let kinds: EventKinds = [.errors, .executions]
        let whole = ["execution executing", "refusal false", "failure failed", "execution failed"]
        for _ in 0..<2 {
            store = try file.open()
            host = Host([definition(puppet)], store: store)
            #expect(host.epoch == epoch)
            #expect(try await read(host, source(host), kinds, from: .cursor(0)).prefix(4) == whole[...])
            let second = try await read(host, source(host), kinds, from: .cursor(first))
            #expect(second == ["execution executing", "failure failed", "execution failed"])
            #expect(try await read(host, source(host), kinds, from: .start).count == whole.count + second.count)
            #expect(try await read(host, source(host), kinds, from: .cursor(host.log.cursor)) == [])
            store.close()
        }
    }

    @Test("of an execution that a killed host left are its interruption")
    func interrupted() async throws {
        var store = try file.open()
        var host = Host([definition(Puppet())], store: store)
        _ = try host.execute(try #require(host.registry["puppet"]), .own()).get()
        await store.flush()
        let cursor = host.log.cursor
        store.close()
        for _ in 0..<2 {
            store = try file.open()
            host = Host([definition(Puppet())], store: store)
            host.resume()
            let texts = try await read(host, source(host), [.errors, .executions], from: .cursor(cursor))
            #expect(texts == ["failure interrupted", "execution interrupted"])
            #expect(try await read(host, source(host), .errors, from: .last) == ["failure interrupted"])
            store.close()
        }
    }

    @Test("leave it to the next host to publish the levels as they are now: no reader believes an earlier one")
    func levels() async throws {
        let kinds: EventKinds = [.executing, .enabled]
        var store = try file.open()
        var host = Host([definition(Puppet())], store: store)
        _ = try host.execute(try #require(host.registry["puppet"]), .own()).get()
        await store.flush()
        #expect(try await read(host, source(host), kinds, from: .cursor(0)) == ["executing true", "enabled false"])
        let whileExecuting = host.log.cursor
        store.close()

        store = try file.open()
        let puppet = Puppet()
        host = Host([definition(puppet)], store: store)
        host.resume()
        let now = ["executing false", "enabled true"]
        #expect(try await read(host, source(host), kinds, from: .cursor(whileExecuting)) == now)
        // Each has a number of its own, so that a reader can come back between the two.
        #expect(try await read(host, source(host), kinds, from: .cursor(host.log.cursor - 1)) == [now[1]])
        #expect(try await read(host, source(host), kinds, from: .cursor(host.log.cursor)) == [])
        _ = try host.execute(try #require(host.registry["puppet"]), .own()).get()
        let beforeEnd = host.log.cursor
        puppet.subject.onCompleted()
        await store.flush()
        let afterEnd = host.log.cursor
        store.close()

        store = try file.open()
        host = Host([definition(Puppet())], store: store)
        host.resume()
        for cursor in [beforeEnd, afterEnd] {
            #expect(try await read(host, source(host), kinds, from: .cursor(cursor)) == now)
        }
        let beforeSwitch = host.log.cursor
        let manual = ManualSwitch(by: .peer(uid: 0, gid: 0, pid: 1), since: 5, reason: "no")
        let action = try #require(host.registry["puppet"])
        host.set(manual, of: action) { _ in }
        await store.flush()
        store.close()

        store = try file.open()
        host = Host([definition(Puppet())], store: store)
        let off = try await read(host, source(host), kinds, from: .cursor(beforeSwitch))
        // Switched off, then as it is now.
        #expect(off == ["enabled false", "executing false", "enabled false"])
        store.close()
    }

    @Test("are the manual switches too: a reader that was away gets them, in this host and in the next")
    func switches() async throws {
        var store = try file.open()
        var host = Host([definition(Puppet())], store: store)
        let begin = host.log.cursor
        let action = try #require(host.registry["puppet"])
        let both = ["enabled false", "enabled true", "enabled false", "enabled true"]
        for reason in ["one", "two"] {
            host.set(ManualSwitch(by: .peer(uid: 0, gid: 0, pid: 1), since: 5, reason: reason), of: action) { _ in }
            host.set(nil, of: action) { _ in }
        }
        // What an execution makes of `enabled` is not kept.
        try host.execute(action, .own()).get().cancel(by: .host)
        await store.flush()
        #expect(await eventually { host.log.read { _ in action.levels.enabled.reason == nil } })
        let here = try await read(host, source(host), .enabled, from: .cursor(begin))
        #expect(here == both + ["enabled true"])
        #expect(try await read(host, source(host), .enabled, from: .cursor(host.log.cursor)) == [])
        store.close()
        for _ in 0..<2 {
            store = try file.open()
            host = Host([definition(Puppet())], store: store)
            host.resume()
            let there = try await read(host, source(host), .enabled, from: .cursor(begin))
            #expect(there == both + ["enabled true"])
            let opening = try host.log.open(source(host), .enabled, from: .cursor(begin)).get()
            var position = try #require(opening.position)
            let items = try host.log.nextPortion(of: source(host), .enabled, after: &position).items
            guard case .event(let first)? = items.first, case .enabled(let enabled) = first.change,
                case .manual(let manual)? = enabled.reason
            else {
                Issue.record("\(items)")
                return
            }
            #expect(manual.reason == "one" && manual.since == 5)
            store.close()
        }
    }

    @Test("of several actions without a history are reported as missing once")
    func unkeptTogether() async throws {
        let definitions = ["one", "two", "three"].map { name in
            var definition = definition(Puppet(), history: name == "two")
            definition.name = name
            return definition
        }
        var store = try file.open()
        var host = Host(definitions, store: store)
        let cursor = host.log.cursor
        store.close()
        store = try file.open()
        host = Host(definitions, store: store)
        let sources = host.registry.actions
        #expect(try await read(host, .named(sources), .errors, from: .cursor(cursor)) == ["lost some"])
        #expect(try await read(host, .named(sources), .errors, from: .cursor(host.log.cursor)) == [])
        store.close()
    }

    @Test("are elements too, as far as output is kept; otherwise a reader learns that some may be missing, once")
    func elements() async throws {
        for keeps in [true, false] {
            let file = StoreFile()
            var retention = ExecutionStore.Retention()
            if !keeps { retention.output = 0 }
            var store = try file.open(retention)
            let puppet = Puppet()
            var host = Host([definition(puppet)], store: store)
            try fail(puppet, in: host)
            store.close()
            store = try file.open(retention)
            host = Host([definition(puppet)], store: store)
            #expect(
                try await read(host, source(host), .elements, from: .cursor(0))
                    == (keeps ? ["element 1"] : ["lost some"]))
            #expect(
                try await read(host, source(host), [.elements, .errors], from: .cursor(0))
                    == (keeps
                        ? ["refusal false", "element 1", "failure failed"]
                        : ["refusal false", "lost some", "failure failed"]))
            #expect(try await read(host, source(host), .elements, from: .cursor(host.log.cursor)) == [])
            store.close()
        }
    }

    @Test("are none of an action without history: its readers learn that some may be missing")
    func withoutHistory() async throws {
        var store = try file.open()
        let puppet = Puppet()
        let kept = definition(Puppet())
        var loose = definition(puppet, history: false)
        loose.name = "loose"
        var host = Host([kept, loose], store: store)
        _ = try host.execute(try #require(host.registry["loose"]), .own()).get()
        puppet.complete()
        #expect(try await read(host, source(host, "loose"), .errors, from: .cursor(0)) == [], "nothing is missing here")
        let cursor = host.log.cursor
        await store.flush()
        store.close()
        #expect(try file.look { try $0.integer("SELECT count(*) FROM events") } == 0)
        store = try file.open()
        host = Host([kept, loose], store: store)
        #expect(try await read(host, source(host, "loose"), .errors, from: .cursor(cursor)) == ["lost some"])
        #expect(try await read(host, source(host, "loose"), .errors, from: .cursor(host.log.cursor)) == [])
        #expect(try await read(host, source(host), .errors, from: .cursor(cursor)) == [])
        store.close()
    }

    @Test("have no input that is too long to keep: the store would hold it until it has written the event")
    func longInput() throws {
        let store = try file.open()
        let host = Host([definition(Puppet())], store: store)
        let input = RawJSON(.string(String(repeating: "x", count: ExecutionRecord.inputBytesKept)))
        let action = try #require(host.registry["puppet"])
        let execution = try host.execute(action, ExecutionRequest(input: input, by: .host)).get()
        let record = host.log.record(of: execution)
        #expect(record.input == input, "readers get it")
        let logged = host.log.read { _ in HostEvent.Change.execution(record).logged(of: execution) }
        guard case .started(let kept)? = logged else {
            Issue.record("not logged")
            return
        }
        #expect(kept.id == execution.id && kept.input == nil)
        store.close()
    }

    @Test("are delivered once they are written, with all that follow", .ownThreads)
    func writtenFirst() async throws {
        let store = try file.open()
        var loose = Puppet().definition(name: "loose")
        loose.keepsHistory = false
        let host = Host([definition(Puppet()), loose], store: store)
        host.log.watch(host.registry.actions)
        await store.flush()
        store.writes.queue.hang()
        _ = try host.execute(try #require(host.registry["loose"]), .own()).get()
        let before = host.log.drain().events
        #expect(before.contains { $0.text == "execution executing" && $0.source.name == "loose" })
        let woken = Heard<Bool>()
        _ = try host.execute(try #require(host.registry["puppet"]), .own()).get()
        host.log.setListener { woken.add(true) }
        #expect(!host.log.drain().events.contains { $0.source.name == "puppet" })
        #expect(try await read(host, source(host), .executions, from: .cursor(0)) == [])
        store.writes.queue.resume()
        await store.flush()
        #expect(await eventually { host.log.isSettled })
        #expect(!woken.values.isEmpty)
        #expect(host.log.drain().events.contains { $0.source.name == "puppet" && $0.text == "execution executing" })
        #expect(try await read(host, source(host), .executions, from: .cursor(0)) == ["execution executing"])
        store.close()
    }

    @Test("are delivered all the same if the disk hangs", .ownThreads)
    func hangingDisk() async throws {
        let store = try file.open()
        let host = Host([definition(Puppet())], store: store)
        host.log.watch(host.registry.actions)
        await store.flush()
        store.writes.queue.hang()
        _ = try host.execute(try #require(host.registry["puppet"]), .own()).get()
        let told = Heard<String>()
        #expect(
            await eventually {
                for event in host.log.drain().events { told.add(event.text) }
                return told.values.contains("execution executing")
            })
        store.writes.queue.resume()
        await store.flush()
        store.close()
    }

    @Test(
        "that could not be written reach their readers; later ones get what is kept around them, and a loss",
        .ownThreads)
    func fullDisk() async throws {
        var store = try file.open()
        let puppet = Puppet()
        var host = Host([definition(Puppet(), overlap: .concurrent(limit: 100))], store: store)
        let action = try #require(host.registry["puppet"])
        host.log.watch([action])
        _ = try host.execute(action, .own()).get()
        await store.flush()
        let before = host.log.cursor
        try store.limit(pages: 1)
        var lost = 0
        while store.lostWrites == 0 {
            // Until no page is left: each one takes a row with its input.
            // All of it in one transaction.
            store.writes.queue.hang()
            _ = try host.execute(action, .own("\"\(String(repeating: "x", count: 3000))\"")).get().cancel(by: .host)
            store.writes.queue.resume()
            lost += 1
            await store.flush()
        }
        #expect(await eventually { host.log.isSettled })
        #expect(host.log.drain().events.count { $0.text == "execution cancelled" } == lost)
        try store.limit(pages: 1_000_000)
        _ = try host.execute(action, .own()).get()
        await store.flush()
        let after = host.log.cursor
        // Memory has them all.
        let all = try await read(host, source(host), .executions, from: .cursor(before))
        #expect(all.count { $0 == "execution cancelled" } == lost && !all.contains { $0.hasPrefix("lost") })
        store.close()
        for start in 0..<2 {
            store = try file.open()
            host = Host([definition(puppet)], store: store)
            let kept = try await read(host, source(host), .executions, from: .cursor(before))
            let place = try #require(kept.firstIndex(of: "lost some"))
            #expect(kept[..<place].allSatisfy { $0 == "execution executing" || $0 == "execution cancelled" })
            #expect(kept[..<place].count { $0 == "execution cancelled" } == lost - 1)
            // The two that were executing are interrupted.
            let interrupted = ["execution interrupted", "execution interrupted"]
            #expect(Array(kept[place...]) == ["lost some", "execution executing"] + interrupted, "start \(start)")
            #expect(try await read(host, source(host), .executions, from: .cursor(after)) == interrupted)
            #expect(
                try await read(host, source(host), .executions, from: .start).suffix(kept.count) == kept[...])
            store.close()
        }
    }

    @Test("that could not be written until the host ended are a loss in the next one", .ownThreads)
    func fullToTheEnd() async throws {
        var store = try file.open()
        var host = Host([definition(Puppet(), overlap: .concurrent(limit: 100))], store: store)
        let action = try #require(host.registry["puppet"])
        host.log.watch([action])
        _ = try host.execute(action, .own()).get()
        await store.flush()
        let before = host.log.cursor
        try store.limit(pages: 1)
        var lost = 0
        while store.lostWrites == 0 {
            // All of it in one transaction.
            store.writes.queue.hang()
            _ = try host.execute(action, .own("\"\(String(repeating: "x", count: 3000))\"")).get().cancel(by: .host)
            store.writes.queue.resume()
            lost += 1
            await store.flush()
        }
        #expect(await eventually { host.log.isSettled })
        let events = host.log.drain().events
        #expect(events.map(\.cursor) == events.map(\.cursor).sorted())
        #expect(events.count { $0.text == "execution cancelled" } == lost)
        let after = host.log.cursor
        store.close()
        for _ in 0..<2 {
            store = try file.open()
            host = Host([definition(Puppet())], store: store)
            let kept = try await read(host, source(host), .executions, from: .cursor(before))
            #expect(kept.count { $0 == "execution cancelled" } == lost - 1)
            #expect(kept.suffix(2) == ["lost some", "execution interrupted"])
            #expect(kept.count { $0.hasPrefix("lost") } == 1)
            #expect(
                try await read(host, source(host), .executions, from: .cursor(after)) == ["execution interrupted"])
            store.close()
        }
    }

    @Test("are a loss from the first one of the execution if its end could not be written", .ownThreads)
    func lostEnd() async throws {
        var store = try file.open()
        var host = Host([definition(Puppet(), overlap: .concurrent(limit: 100))], store: store)
        let action = try #require(host.registry["puppet"])
        await store.flush()
        let input = "\"\(String(repeating: "x", count: 3000))\""
        let first = host.log.cursor + 1
        let begun = try host.execute(action, .own(input)).get()
        await store.flush()
        try store.limit(pages: 1)
        while store.lostWrites == 0 {
            store.writes.queue.hang()
            try host.execute(action, .own(input)).get().cancel(by: .host)
            store.writes.queue.resume()
            await store.flush()
        }
        let lost = store.lostWrites
        begun.cancel(by: .host)
        await store.flush()
        #expect(store.lostWrites > lost)
        let last = try #require(host.log.read { _ in begun.endNumber })
        try store.limit(pages: 1_000_000)
        try host.execute(action, .own()).get().cancel(by: .host)
        await store.flush()
        #expect(await eventually { host.log.isSettled })
        #expect(host.log.read { $0.numbers.holes.ranges } == [first...last])
        store.close()
        let database = try Database(path: file.path, on: .system, onlyToRead: true)
        for table in ["events", "output"] {
            #expect(
                try database.integer(
                    """
                    SELECT count(*) FROM \(table) WHERE execution IS NOT NULL
                    AND execution NOT IN (SELECT id FROM executions UNION SELECT id FROM pending)
                    """) == 0)
        }
        store = try file.open()
        host = Host([definition(Puppet())], store: store)
        #expect(host.log.read { $0.numbers.holes.ranges } == [first...last])
        store.close()
    }

    @Test("that the store refuses are a loss once it has answered for those before them, which are none", .ownThreads)
    func refusedBehindPending() async throws {
        let store = try file.open(waitingBytes: 20_000)
        let puppet = Puppet()
        let host = Host([definition(puppet, overlap: .concurrent(limit: 100))], store: store)
        let action = try #require(host.registry["puppet"])
        await store.flush()
        #expect(await eventually { host.log.isSettled })
        store.writes.queue.hang()
        _ = try host.execute(action, .own()).get()
        let pending = host.log.cursor
        let large = try host.execute(action, .own("\"\(String(repeating: "x", count: 4000))\"")).get()
        let begun = host.log.cursor
        for _ in 0..<5 { _ = try host.execute(action, .own("\"\(String(repeating: "x", count: 4000))\"")).get() }
        let first = host.log.cursor + 1
        puppet.send("1")
        large.cancel(by: .host)
        for _ in 0..<20 {
            let execution = try host.execute(action, .own("\"\(String(repeating: "x", count: 4000))\"")).get()
            puppet.send("1")
            execution.cancel(by: .host)
        }
        #expect(store.lostWrites >= 15)
        // What the store has refused is not kept for it.
        #expect(host.log.read { $0.outputs.unwritten.count } <= 5)
        store.writes.refusals.sync {}
        // The store has not answered for the first one, so neither for those that it has refused.
        #expect(host.log.read { $0.numbers.stored($0.cursor) } < pending)
        #expect(host.log.read { $0.numbers.holes.ranges } == [])
        store.writes.queue.resume()
        await store.flush()
        #expect(await eventually { host.log.isSettled })
        let holes = host.log.read { $0.numbers.holes.ranges }
        let lowest = try #require(holes.first).lowerBound
        // The large one is gone with all of its events.
        #expect(lowest > pending && lowest <= begun)
        #expect(holes.allSatisfy { $0.upperBound >= first }, "\(holes), \(pending)")
        store.close()
    }

    @Test("that the store refuses are a loss after a kill too, with the whole of the executions that end", .ownThreads)
    func refusedBeforeKill() async throws {
        let store = try file.open(waitingBytes: 20_000)
        let host = Host([definition(Puppet(), overlap: .concurrent(limit: 100))], store: store)
        let action = try #require(host.registry["puppet"])
        let input = "\"\(String(repeating: "x", count: 4000))\""
        let first = host.log.cursor + 1
        let begun = try host.execute(action, .own(input)).get()
        await store.flush()
        #expect(await eventually { host.log.isSettled })
        store.writes.queue.hang()
        while store.lostWrites == 0 { try host.execute(action, .own(input)).get().cancel(by: .host) }
        let lost = store.lostWrites
        begun.cancel(by: .host)
        #expect(store.lostWrites > lost)
        let last = try #require(host.log.read { _ in begun.endNumber })
        let marks = CommitMarks(try Disk.system.map(file.path + "-lock", CommitMarks.bytes))
        #expect(marks.ends.ids.contains(begun.id))
        let killed = try file.killed()
        store.writes.queue.resume()
        store.close()
        let next = try killed.open()
        let holes = next.takeRecovery().log.holes.ranges
        #expect(holes.contains { $0.contains(first) && $0.contains(last) }, "\(holes), \(first)...\(last)")
        next.close()
    }

    @Test(
        "that a hanging disk keeps waiting are noted beside it before they are delivered, until they are written",
        .ownThreads)
    func noted() async throws {
        let store = try file.open()
        let host = Host([definition(Puppet())], store: store)
        host.log.watch(host.registry.actions)
        await store.flush()
        let marks = CommitMarks(try Disk.system.map(file.path + "-lock", CommitMarks.bytes))
        #expect(marks.missing.numbers == nil)
        store.writes.queue.hang()
        let before = host.log.cursor
        _ = try host.execute(try #require(host.registry["puppet"]), .own()).get()
        let last = host.log.cursor
        #expect(await eventually { host.log.isSettled })
        let noted = try #require(marks.missing.numbers)
        #expect(noted.lowerBound > before && noted.upperBound <= last)
        let cursors = host.log.drain().events.map(\.cursor)
        #expect(cursors.contains(noted.lowerBound) && cursors.contains(noted.upperBound))
        store.writes.queue.resume()
        await store.flush()
        #expect(await eventually { marks.missing.numbers == nil })
        store.close()
    }

    @Test("are there for their readers when a host has ended", .ownThreads)
    func lastEvents() async throws {
        let store = try file.open()
        let host = Host([definition(Puppet())], store: store)
        host.log.watch(host.registry.actions)
        _ = try host.execute(try #require(host.registry["puppet"]), .own()).get()
        await store.flush()
        store.writes.queue.hang()
        let told = Heard<String>()
        host.stop {
            for event in host.log.drain().events { told.add(event.text) }
            told.add("stopped")
        }
        store.writes.queue.resume()
        #expect(await eventually { told.values.last == "stopped" })
        #expect(told.values.contains("execution cancelled"))
        store.close()
    }

    @Test("are found by their time")
    func times() async throws {
        let puppet = Puppet()
        let host = Host([definition(puppet, history: false)])
        try fail(puppet, in: host)
        let time = host.time
        #expect(try await read(host, source(host), .errors, from: .time(0)) == ["refusal false", "failure failed"])
        #expect(try await read(host, source(host), .errors, from: .time(time + 60_000)) == [])
        #expect(try await read(host, source(host), .errors, from: .start) == ["refusal false", "failure failed"])
    }

    @Test("since a time do not bring the elements that a long execution had before it")
    func elementsSince() async throws {
        let begin: Int64 = 1_790_000_000_000
        let time = Locked(begin)
        let platform = Platform(wallClock: WallClock { time.withLock { $0 } })
        let puppet = Puppet()
        let store = try file.open()
        let first = Host([definition(puppet)], store: store, platform: platform)
        _ = try first.execute(try #require(first.registry["puppet"]), .own()).get()
        puppet.send("1")
        time.withLock { $0 += 3_600_000 }
        puppet.send("2")
        puppet.complete()
        await store.flush()
        store.close()
        let again = try file.open()
        defer { again.close() }
        let host = Host([definition(puppet)], store: again, platform: platform)
        for (start, elements) in [(begin, ["element 1", "element 2"]), (begin + 1, ["element 2"])] {
            #expect(try await read(host, source(host), .elements, from: .time(start)) == elements)
        }
    }

    @Test("since a time before what is kept report that some may be missing, and since a later one do not")
    func beforeRetention() async throws {
        let begin: Int64 = 1_790_000_000_000
        let time = Locked(begin)
        let platform = Platform(wallClock: WallClock { time.withLock { $0 } })
        var retention = ExecutionStore.Retention()
        retention.count = 2
        let store = try file.open(retention)
        let failing = ActionDefinition(
            name: "puppet", kind: "test", scheduler: .inline, keepsHistory: true, fingerprint: "failing"
        ) { _ in .error(WorkFailure(message: "no")) }
        let host = Host([failing], store: store, platform: platform)
        for _ in 0..<5 {
            _ = try host.execute(try #require(host.registry["puppet"]), .own()).get()
            await store.flush()
            time.withLock { $0 += 1000 }
        }
        #expect(await eventually { store.marks.executions > 0 })
        #expect(await eventually { host.log.isSettled })
        let kept = ["failure failed", "failure failed"]
        let all = kept + Array(repeating: "failure failed", count: 3)
        #expect(try await read(host, source(host), .errors, from: .time(0)) == all, "memory has them all")
        store.close()

        let again = try file.open(retention)
        defer { again.close() }
        let next = Host([failing], store: again, platform: platform)
        for start in [0, begin, begin + 3000] {
            #expect(try await read(next, source(next), .errors, from: .time(start)) == ["lost some"] + kept)
        }
        #expect(try await read(next, source(next), .errors, from: .time(begin + 3001)) == ["failure failed"])
        #expect(try await read(next, source(next), .errors, from: .time(begin + 5000)) == [])
    }

    @Test("since a time before what memory has of a name without a history report that some are missing")
    func beforeMemory() async throws {
        let begin: Int64 = 1_790_000_000_000
        let time = Locked(begin)
        let platform = Platform(wallClock: WallClock { time.withLock { $0 } })
        var limits = CatchUpLimits()
        limits.events = 10
        let puppet = Puppet()
        let host = Host([definition(puppet, history: false)], catchUp: limits, platform: platform)
        _ = try host.execute(try #require(host.registry["puppet"]), .own()).get()
        for number in 0..<20 {
            time.withLock { $0 += 1 }
            puppet.send("\(number)")
        }
        for (start, isLossy) in [(begin, true), (begin + 18, false)] {
            let read = try await read(host, source(host), .elements, from: .time(start))
            #expect((read.first == "lost some") == isLossy && read.last == "element 19", "\(read)")
        }
    }

    @Test(
        "since a time leave nothing out behind elements in memory from before it, and report none of those",
        arguments: [3000, 40_000])
    func elementsInMemory(before: Int) async throws {
        let begin: Int64 = 1_790_000_000_000
        let time = Locked(begin)
        let platform = Platform(wallClock: WallClock { time.withLock { $0 } })
        let (puppet, other) = (Puppet(), Puppet())
        var failing = other.definition(name: "other")
        failing.keepsHistory = true
        var limits = CatchUpLimits()
        limits.events = 1000
        let store = try file.open()
        defer { store.close() }
        let host = Host([definition(puppet), failing], store: store, catchUp: limits, platform: platform)
        let sources = try ["puppet", "other"].map { try #require(host.registry[$0]) }
        for action in sources { _ = try host.execute(action, .own()).get() }
        for number in 0..<before { puppet.send("\(number)") }
        time.withLock { $0 += 3_600_000 }
        let new = (before..<(before + 5)).map { "\($0)" }
        for number in new { puppet.send(number) }
        other.subject.onError(WorkFailure(message: "no"))
        await store.flush()
        #expect(await eventually { host.log.isSettled })
        let read = try await read(host, .named(sources), [.elements, .errors], from: .time(begin + 1))
        #expect(read == new.map { "element \($0)" } + ["failure failed"])
    }

    @Test("keep everything that they contain")
    func contents() throws {
        let id = ExecutionID()
        let unmet = UnmetCondition(reactor: "light", when: ".on", error: "secret", publicError: "failed")
        let reasons: [DisabledReason?] = [
            nil, .executing(id, since: 5, by: .peer(uid: 1, gid: 2, pid: 3), inFlight: 7, limit: 8),
            .condition(error: nil),
            .condition(error: "no"), .unmet(unmet), .unmet(UnmetCondition(reactor: "light", when: ".on")),
            .manual(ManualSwitch(by: .stream("night"), since: 7, reason: "full")),
            .manual(ManualSwitch(by: .host, since: 7, reason: nil)), .stopping,
        ]
        for reason in reasons {
            guard case .refusal(let enabled)? = try kept(.refusal(Enabled(reason: reason))) else {
                Issue.record("\(String(describing: reason))")
                continue
            }
            #expect(enabled == Enabled(reason: reason))
        }
        let place = ProgramPlace(.rule(2), "when", source: SourceLine(file: "/etc/rxd/rxd.toml", line: 4))
        let faults = [
            ReactorFault(.mutate, "no", input: try RawJSON(validating: #"{"a" : 1}"#), at: place, isPublic: false),
            ReactorFault(.reduce, "no", at: ProgramPlace(.merge(1), ProgramPlace.reduce)),
            ReactorFault(.stopped, "no", at: ProgramPlace(nil, "reduce")), ReactorFault(.limit, "no"),
        ]
        for fault in faults {
            guard case .fault(let found)? = try kept(.fault(fault)) else {
                Issue.record("\(fault)")
                continue
            }
            #expect(found == fault)
        }
        guard case .queueFull(7)? = try kept(.queueFull(limit: 7)),
            case .conditionFailure("why")? = try kept(.conditionFailure("why"))
        else {
            Issue.record("the other two")
            return
        }
    }

    private func kept(_ change: HostEvent.Change) throws -> HostEvent.Change? {
        HostEvent.Change(try #require(change.logged(of: nil)))
    }

    @Test("have numbers that are reserved before they run out, and again if that fails")
    func reservation() {
        var numbers = LogNumbers()
        var log = RecoveredLog()
        (log.last, log.reserved) = (1000, 1000 + LogLimits.numbersReserved)
        numbers.begin(with: log)
        let half = log.reserved - LogLimits.numbersReserved / 2
        #expect(numbers.takeReservation(at: half - 1) == nil)
        #expect(numbers.takeReservation(at: half) == log.reserved + LogLimits.numbersReserved)
        #expect(numbers.takeReservation(at: half + 1) == nil, "it is asked for once")
        #expect(numbers.takeReservation(at: half + LogLimits.numbersReserved / 16) != nil, "there was no answer")
        numbers.reserve(through: log.reserved + LogLimits.numbersReserved)
        #expect(numbers.takeReservation(at: log.reserved) == nil)
        #expect(numbers.takeReservation(at: log.reserved + LogLimits.numbersReserved / 2) != nil)
    }
}
