import Dispatch
import Glibc
import Rx
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("A store of reactors", .countedApart)
struct StateStoreTests {
    @Test("returns the newest state, at every durability", arguments: ReactorPersistence.Durability.allCases)
    func roundTrip(durability: ReactorPersistence.Durability) throws {
        let file = ReactorFile()
        for start: UInt64 in [0, 100, 200] {
            let store = try file.open()
            let log = store.log(of: "light", .made(durability))
            var reactor: LoggedReactor
            if start == 0 {
                #expect(try log.kept() == nil && log.needsSnapshot && store.reactorsKept.isEmpty)
                reactor = LoggedReactor(log)
            } else {
                reactor = try #require(try LoggedReactor(restoring: log))
                #expect(store.reactorsKept == ["light"] && !log.needsSnapshot)
            }
            #expect(reactor.revision == start && reactor.state == LoggedReactor.states(at: start))
            for _ in 0..<100 { reactor.step() }
            store.close()
        }
    }

    @Test("returns every step unchanged, at once and after a reopening")
    func steps() async throws {
        func json(_ text: String) -> RawJSON { RawJSON(unchecked: Array(text.utf8)) }
        let reductions: [KeptStep.Reduction] = [
            .init(
                by: .peer(uid: 1000, gid: 100, pid: 7), action: json(#"{"a" : 1.0}"#), mutation: json("1e400"),
                patch: .emptyArray),
            .init(by: .stream("night"), action: json(#""\u0000ü""#), mutation: .null, patch: .emptyArray),
            .init(by: .host, action: .null, mutation: .true, patch: json(#"[{"op":"remove","path":"/0"}]"#)),
            .init(by: nil, action: nil, mutation: .false, patch: .emptyArray),
        ]
        let steps = reductions.enumerated().map {
            KeptStep(revision: UInt64($0) + 8, time: Int64($0) * -7, .reduced($1))
        }
        let file = ReactorFile()
        var store = try file.open()
        var log = store.log(of: "light", .made())
        log.snapshot(JSONState(["on": false]), revision: 7, time: 3, fingerprint: "first")
        for step in steps { log.append(step) { #expect($0 == nil) } }
        log.replace(with: JSONState(["on": true]), revision: 12, time: 9, fingerprint: "second")
        await store.flush()
        for _ in 0..<2 {
            let kept = try #require(try log.kept())
            #expect(kept.revision == 12 && kept.oldest == 7 && kept.snapshot.revision == 12)
            #expect(kept.snapshot.fingerprint == "second" && kept.snapshot.time == 9)
            #expect(kept.snapshot.state.text == #"{"on":true}"#)
            let base = try await log.base(atOrBefore: 11)
            #expect(base?.revision == 7 && base?.fingerprint == "first" && base?.state.text == #"{"on":false}"#)
            #expect(try await log.base(atOrBefore: 6) == nil)
            let page = try await log.history()
            #expect(page.steps == steps + [KeptStep(revision: 12, time: 9, .replaced(.definition))] && !page.hasMore)
            var heard: [KeptStep] = []
            try log.forEachStep(after: 7) { step in
                heard.append(step)
                return heard.count < 3
            }
            #expect(heard == Array(steps.prefix(3)))
            store.close()
            store = try file.open()
            log = store.log(of: "light", .made())
        }
        #expect(store.unreadableRows == 0 && store.lostWrites == 0)
        store.close()
    }

    @Test("returns parts of the history, the newest or those of given revisions, and whether there is more")
    func parts() async throws {
        let file = ReactorFile()
        let store = try file.open()
        let log = store.log(of: "light", .made())
        var reactor = LoggedReactor(log)
        for _ in 0..<20 { reactor.step() }
        await store.flush()
        let more = UInt64.max
        func revisions(before: UInt64? = nil, _ limit: Int) async throws -> [UInt64] {
            let page = try await log.history(before: before, limit: limit)
            return page.steps.map(\.revision) + (page.hasMore ? [more] : [])
        }
        #expect(try await revisions(3) == [18, 19, 20, more])
        #expect(try await revisions(before: 5, 3) == [2, 3, 4, more])
        #expect(try await revisions(before: 4, 3) == [1, 2, 3])
        #expect(try await revisions(before: 1, 3) == [])
        #expect(try await revisions(0) == [more])
        #expect(try await revisions(-5) == [more])
        #expect(try await log.steps(7...9).steps.map(\.revision) == [7, 8, 9])
        #expect(try await log.steps(19...40).steps.map(\.revision) == [19, 20])
        #expect(try await log.steps(21...40).steps.isEmpty)
        #expect(try await store.log(of: "other", .made()).history().steps.isEmpty)
        for revision: UInt64 in 0...20 {
            #expect(try await log.state(at: revision) == LoggedReactor.states(at: revision))
            // The snapshot `[]`, and the patches; the first five remove nothing.
            let patches = (0..<Int(revision)).reduce(0) { bytes, step in
                bytes + KeptStep.made(UInt64(step + 1), removing: step >= LoggedReactor.width).patchBytes
            }
            let bytes = try await answer { log.stateBytes(at: revision, completion: $0) }.get()
            #expect(bytes == 2 + patches)
        }
        #expect(try await answer { store.log(of: "other", .made()).stateBytes(at: 1, completion: $0) }.get() == 0)
        for revision: UInt64 in [21, 1000, .max - 1, .max] { #expect(try await log.state(at: revision) == nil) }
        store.close()
    }

    @Test("reads a history of large steps in parts")
    func largeSteps() async throws {
        let file = ReactorFile()
        let store = try file.open()
        let log = store.log(of: "light", .made())
        var reactor = LoggedReactor(log)
        for _ in 0..<10 {
            reactor.step(padding: 8 << 20)
            // Together they are more than may wait.
            await store.flush()
        }
        var found: [UInt64] = []
        while found.first != 1 {
            let page = try await log.history(before: found.first)
            try #require(!page.steps.isEmpty && page.steps.count < 6)
            #expect(page.hasMore == (page.steps.first?.revision != 1))
            found = page.steps.map(\.revision) + found
        }
        #expect(found == Array(1...10))
        let page = try await log.steps(1...10)
        #expect(page.hasMore && page.steps.count < 6 && page.steps.first?.revision == 1)
        store.close()
    }

    @Test("keeps the order of each of many reactors, and completes in it")
    func order() async throws {
        let file = ReactorFile()
        let store = try file.open()
        let names = (0..<8).map { "reactor \($0)" }
        let done = Locked<[String: [Int]]>([:])
        await withTaskGroup(of: Void.self) { group in
            for (index, name) in names.enumerated() {
                group.addTask {
                    let durability = ReactorPersistence.Durability.allCases[index % 3]
                    var reactor = LoggedReactor(store.log(of: name, .made(durability)))
                    for revision in 1...300 {
                        reactor.step { error in
                            #expect(error == nil)
                            done.withLock { $0[name, default: []].append(revision) }
                        }
                        if revision % 50 == 0 { await Task.yield() }
                    }
                }
            }
        }
        store.close()
        for name in names { #expect(done.withLock { $0[name] } == Array(1...300)) }
        let again = try file.open()
        #expect(again.reactorsKept == names)
        for name in names {
            let reactor = try #require(try LoggedReactor(restoring: again.log(of: name, .made())))
            #expect(reactor.revision == 300 && reactor.state == LoggedReactor.states(at: 300))
        }
        again.close()
    }

    @Test("writes pending steps in one transaction, and completes none of them before")
    func together() async throws {
        let file = ReactorFile()
        let store = try file.open()
        var reactors = ["one", "two"].map { LoggedReactor(store.log(of: $0, .made(.sync))) }
        await store.flush()
        let before = try file.commitsLogged()
        store.writes.queue.hang()
        let done = Heard<StoreError?>()
        for index in 0..<200 { reactors[index % 2].step { done.add($0) } }
        #expect(done.values.isEmpty)
        store.writes.queue.resume()
        #expect(await eventually { done.values.count == 200 })
        #expect(done.values.allSatisfy { $0 == nil })
        let commits = try file.commitsLogged() - before
        #expect(commits == 1)
        store.close()
    }

    @Test("waits for the disk only at `sync`; steps that no caller waits for are written a moment later")
    func durabilities() async throws {
        let file = ReactorFile()
        let store = try file.open()
        let logs = ReactorPersistence.Durability.allCases.map { store.log(of: $0.rawValue, .made($0)) }
        var reactors = logs.map { LoggedReactor($0) }
        await store.flush()
        store.writes.queue.hang()
        let told = Heard<Int>()
        let begin = ContinuousClock.now
        for index in reactors.indices { reactors[index].step { _ in told.add(index) } }
        #expect(told.values == [1, 2])
        store.writes.queue.resume()
        #expect(await eventually { told.values == [1, 2, 0] })
        await store.flush()
        // What comes while the queue is being drained is written at once.
        store.writes.queue.sync {}
        reactors[2].step()
        let early = try await reactors[2].log.history().steps.count
        // On a busy machine, the write that the first of these steps requested may come before the read.
        if ContinuousClock.now - begin < .milliseconds(StoreLimits.moment) { #expect(early == 1) }
        let log = reactors[2].log
        #expect(await eventually { store.writes.queue.sync { store.writes.writer?.newest(of: "off") == 2 } })
        #expect(try await log.history().steps.count == 2)
        store.close()
    }

    @Test("lets no other user read its files")
    func mode() async throws {
        let file = ReactorFile()
        let store = try file.open()
        await store.flush()
        for suffix in ["", "-wal", "-shm", "-lock"] {
            var facts = stat()
            try #require(stat(file.path + suffix, &facts) == 0)
            #expect(facts.st_mode & 0o777 == 0o600, "\(suffix)")
        }
        store.close()
    }

    @Test("is closed once, and refuses later calls with that reason")
    func closing() async throws {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made(.off)))
        for _ in 0..<500 { reactor.step() }
        store.close()
        store.close()
        #expect(access(file.path + "-wal", F_OK) != 0, "nothing is left in the log")
        let told = Heard<StoreError?>()
        reactor.step { told.add($0) }
        #expect(told.values == [.closed])
        #expect(reactor.log.isBehind)
        #expect(await outcome { reactor.snapshot($0) } == .closed)
        await #expect(throws: StoreError.closed) { try await reactor.log.history() }
        #expect(throws: StoreError.closed) { try reactor.log.kept() }
        let again = try file.open()
        #expect(try again.log(of: "light", .made()).kept()?.revision == 500)
        again.close()
    }

    @Test("returns very many steps, each once and in order")
    func many() throws {
        let file = ReactorFile()
        let count = 20_000 * Effort.times
        var store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made(history: count)))
        for _ in 0..<count { reactor.step() }
        store.close()
        store = try file.open()
        let log = store.log(of: "light", .made(history: count))
        #expect(try log.restore()?.value.array == LoggedReactor.states(at: UInt64(count)))
        var next: UInt64 = 1
        try log.forEachStep(after: 0) { step in
            defer { next += 1 }
            return step.revision == next
        }
        #expect(next == UInt64(count) + 1)
        store.close()
    }

    @Test("others read, and probes are answered, while steps are used one after another")
    func portions() throws {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made()))
        // More than one portion, by their bytes.
        let count = 7
        for _ in 0..<count { reactor.step(padding: StateArchive.bytesPerPage / 3) }
        reactor.log.flush()
        var heard: [UInt64] = []
        try reactor.log.forEachStep(after: 0) { step in
            heard.append(step.revision)
            let (read, probe) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            reactor.log.history(limit: 1) { _ in read.signal() }
            store.probe { probe.signal() }
            let deadline = DispatchTime.now() + .seconds(60)
            return read.wait(timeout: deadline) == .success && probe.wait(timeout: deadline) == .success
        }
        #expect(heard == Array(1...UInt64(count)))
        store.close()
    }

    @Test("a probe is answered at the end of a read that the caller waits for, before other reads")
    func probedRead() async throws {
        let file = ReactorFile()
        let store = try file.open()
        let answers = Heard<String>()
        try store.reads.wait { _ in
            store.reads.queue.async { answers.add("read") }
            store.reads.probe { answers.add("probe") }
        }
        store.close()
        #expect(answers.values == ["probe", "read"])
    }

    @Test("reads do not wait for writes")
    func reads() async throws {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made()))
        reactor.step()
        await store.flush()
        store.writes.queue.hang()
        reactor.step()
        #expect(try await reactor.log.history().steps.map(\.revision) == [1])
        #expect(try reactor.log.kept()?.revision == 1)
        store.writes.queue.resume()
        store.close()
    }

    @Test("keeps the rows of a reactor that is no longer configured until it comes back")
    func unconfigured() async throws {
        let file = ReactorFile()
        var store = try file.open()
        var gone = LoggedReactor(store.log(of: "gone", .made(history: 10)))
        for _ in 0..<100 { gone.step() }
        store.close()
        store = try file.open()
        var other = LoggedReactor(store.log(of: "other", .made(history: 10)))
        for _ in 0..<2000 { other.stepAsHosted() }
        store.close()
        store = try file.open()
        #expect(store.reactorsKept == ["gone", "other"])
        let log = store.log(of: "gone", .made(history: 10))
        #expect(try LoggedReactor(restoring: log)?.state == gone.state)
        #expect(try await log.history().steps.count == 100)
        store.close()
    }
}
