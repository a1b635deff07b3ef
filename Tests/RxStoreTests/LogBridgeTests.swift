import RxJSON
import RxPlatform
import TestSupport
import Testing

@testable import RxRecords
@testable import RxStore

@Suite("A log that lacks steps", .countedApart)
struct LogBridgeTests {
    /// A store whose disk the test makes fail, and a log with the revisions 1 to 3.
    private struct Logged {
        let file = ReactorFile()
        let store: StateStore
        let log: ReactorLog
        var reactor: LoggedReactor

        init(_ durability: ReactorPersistence.Durability = .sync) async throws {
            store = try file.open(retryDelay: .seconds(1000))
            log = store.log(of: "light", .made(durability))
            reactor = LoggedReactor(log)
            for _ in 1...3 { reactor.step() }
            store.writes.flush()
        }

        func disk(fails: Bool) throws { try store.disk(fails: fails) }

        func bridge(at revision: UInt64? = nil, _ heard: Heard<StoreError?>) -> Bool {
            log.bridge(
                JSONState(.array(reactor.state)), revision: revision ?? reactor.revision, time: 0, fingerprint: "one"
            ) { heard.add($0) }
        }
    }

    @Test("takes steps again as soon as it is bridged, without a delay, at any durability", arguments: [true, false])
    func bridged(syncs: Bool) async throws {
        var logged = try await Logged(syncs ? .sync : .off)
        let heard = Heard<StoreError?>()
        #expect(logged.bridge(heard) && heard.values == [nil], "nothing is missing")
        try logged.disk(fails: true)
        logged.reactor.step()
        logged.store.writes.flush()
        #expect(logged.log.isBehind && !logged.log.needsSnapshot)
        #expect(logged.bridge(heard))
        #expect(await eventually { heard.values.count == 2 })
        #expect(heard.values[1] != nil && logged.log.isBehind)
        try logged.disk(fails: false)
        #expect(logged.bridge(heard) && logged.bridge(heard), "the second waits for the first")
        #expect(await eventually { heard.values.count == 4 })
        #expect(heard.values[2...] == [nil, nil] && !logged.log.isBehind)
        logged.reactor.step()
        logged.store.writes.flush()
        #expect(try await logged.log.history().steps.map(\.revision) == [1, 2, 3, 4, 5])
        logged.store.close()
    }

    @Test("is not bridged by a state without a step that is lost")
    func passed() async throws {
        var logged = try await Logged()
        try logged.disk(fails: true)
        for _ in 4...5 { logged.reactor.step() }
        logged.store.writes.flush()
        let heard = Heard<StoreError?>()
        #expect(!logged.bridge(at: 4, heard) && heard.values.isEmpty)
        #expect(logged.bridge(at: 5, heard))
        logged.store.close()
    }

    @Test("counts a step as stored that comes after the snapshot with it")
    func covered() async throws {
        var logged = try await Logged()
        try logged.disk(fails: true)
        logged.reactor.step()
        logged.store.writes.flush()
        try logged.disk(fails: false)
        logged.store.writes.queue.hang()
        let heard = Heard<StoreError?>()
        let log = logged.log
        // The reactor has published revision 5 when it is bridged, and appends it afterwards.
        #expect(logged.bridge(at: 5, heard))
        log.append(.made(5)) { heard.add($0) }
        log.append(.made(6)) { heard.add($0) }
        #expect(heard.values.isEmpty)
        logged.store.writes.queue.resume()
        #expect(await eventually { heard.values.count == 3 })
        #expect(heard.values == [nil, nil, nil])
        #expect(try await log.history().steps.map(\.revision) == [1, 2, 3, 5, 6])
        logged.store.close()
    }

    @Test("reports a failed step with the result of a pending snapshot that has it", arguments: [true, false])
    func deferred(isStored: Bool) async throws {
        var logged = try await Logged()
        // A value that the database refuses, alone among the writes of its transaction: a step out of order.
        logged.store.writes.queue.hang()
        let heard = Heard<String>()
        let log = logged.log
        log.append(.made(6)) { heard.add("step \($0 == nil)") }
        logged.reactor.become([])
        log.snapshot(
            JSONState([]), revision: isStored ? 6 : 5, time: 0, fingerprint: "one"
        ) { heard.add("snapshot \($0 == nil)") }
        #expect(heard.values.isEmpty)
        logged.store.writes.queue.resume()
        #expect(await eventually { heard.values.count == 2 })
        #expect(heard.values == (isStored ? ["snapshot true", "step true"] : ["step false", "snapshot true"]))
        logged.store.close()
    }

    @Test("a snapshot that is less durable than a step does not stand for it")
    func weaker() {
        var progress = LogProgress(of: "light", isKept: true, retryDelay: .zero, clock: .system)
        progress.snapshot(at: 5, isSynced: false)
        #expect(progress.coverage(of: 5, isSynced: false) == .pending)
        #expect(progress.coverage(of: 5, isSynced: true) == .none)
        progress.snapshotEnded(5, nil)
        #expect(progress.coverage(of: 5, isSynced: false) == .stored)
        #expect(progress.coverage(of: 5, isSynced: true) == .none && progress.coverage(of: 6, isSynced: false) == .none)
    }

    @Test("a failed snapshot leaves the steps that it covers to a later one")
    func laterSnapshot() {
        var covered = CoveredSteps()
        let heard = Heard<String>()
        for (revision, isSynced) in [(UInt64(4), true), (4, false), (6, true)] {
            covered.wait(for: revision, isSynced: isSynced) { heard.add("\(revision) \(isSynced) \($0 == nil)") }
        }
        func end(
            _ revision: UInt64, _ isSynced: Bool, _ failure: StoreError?, next: LogProgress.Snapshot?
        ) -> [String] {
            let count = heard.values.count
            let snapshot = LogProgress.Snapshot(revision: revision, isSynced: isSynced)
            for (completion, failure) in covered.ended(snapshot, failure, next: next) { completion(failure) }
            return Array(heard.values.dropFirst(count))
        }
        let later = LogProgress.Snapshot(revision: 6, isSynced: false)
        #expect(end(5, true, .closed, next: later) == ["4 true false"], "the later one is weaker")
        #expect(end(6, false, nil, next: nil) == ["4 false true"])
        #expect(end(7, true, nil, next: nil) == ["6 true true"])
    }

    @Test("does not take the steps of other reactors with it if its whole state does not fit on the disk")
    func others() async throws {
        var logged = try await Logged()
        let other = LoggedReactor(logged.store.log(of: "other", .made(.sync)))
        try logged.disk(fails: true)
        logged.reactor.step()
        logged.store.writes.flush()
        try logged.disk(fails: false)
        // Room for a few pages, as on a disk that is almost full.
        try logged.store.writes.queue.sync {
            let database = try #require(logged.store.writes.writer?.database)
            let pages = try Statement("PRAGMA page_count", database)
            _ = try pages.step()
            try database.execute("PRAGMA max_page_count = \(pages.integer(0) + 4)")
        }
        logged.store.writes.queue.hang()
        let heard = Heard<String>()
        logged.reactor.become([.string(String(repeating: "x", count: 100_000))])
        #expect(
            logged.log.bridge(
                JSONState(.array(logged.reactor.state)), revision: logged.reactor.revision, time: 0, fingerprint: "one"
            ) { heard.add("light \($0 == nil)") })
        other.log.append(.made(1)) { heard.add("other \($0 == nil)") }
        logged.store.writes.queue.resume()
        #expect(await eventually { heard.values.count == 2 })
        #expect(heard.values.sorted() == ["light false", "other true"])
        logged.store.close()
    }

    @Test("has lost nothing while its first snapshot is pending, but has if that fails")
    func first() {
        var progress = LogProgress(of: "light", isKept: false, retryDelay: .zero, clock: .system)
        #expect(progress.isBehind && !progress.hasLoss)
        progress.snapshot(at: 0)
        #expect(!progress.hasLoss && progress.append(bytes: 1) == nil)
        var failed = progress
        progress.snapshotEnded(0, nil)
        #expect(!progress.isBehind)
        failed.snapshotEnded(0, .closed)
        #expect(failed.hasLoss && failed.append(bytes: 1) == .closed)
        failed.snapshot(at: 1)
        #expect(failed.hasLoss, "a bridge is pending")
    }
}
