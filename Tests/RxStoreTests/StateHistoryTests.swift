import Dispatch
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

/// SplitMix64: the same numbers for the same seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("What a store of reactors keeps of a history", .countedApart)
struct StateHistoryTests {
    /// Checks the state of each revision; nil where it was lost.
    ///
    /// - Parameter oldest: the first revision that no history has dropped. A dropped one does not come back when a
    ///   longer history is configured.
    private func check(
        _ log: ReactorLog, _ states: [[JSONValue]?], history: Int, oldest: Int = 0, _ comment: Comment
    ) async throws {
        let newest = states.count - 1
        let page = try await log.history()
        // Everything that is shown has a state.
        var wanted = Set(page.steps.map { Int($0.revision) })
        wanted.formUnion(max(oldest, newest - history)...newest)
        // A few of many.
        for revision in wanted where wanted.count < 200 || revision % (wanted.count / 50) == 0 {
            let state = try await log.state(at: UInt64(revision))
            #expect(state == states[revision], "\(comment) \(revision)")
        }
        let shown = page.steps.map { Int($0.revision) }
        #expect(shown == shown.sorted(), "\(comment)")
        if history > 0 { #expect(shown.last == (newest == 0 ? nil : newest), "\(comment)") }
        let known = (max(1, oldest + 1, newest - history + 1)..<(newest + 1)).filter { states[$0] != nil }
        #expect(Set(known).isSubset(of: shown), "\(comment)")
    }

    @Test(
        "is at least as long as configured, and has the state of each revision that was not lost",
        arguments: Effort.seeds(3))
    func reconstructable(seed: UInt64) async throws {
        var random = Seeded(seed)
        let file = ReactorFile()
        var store = try file.open()
        var history = Int.random(in: 0...60, using: &random)
        var reactor = LoggedReactor(store.log(of: "light", .made(history: history)))
        var states: [[JSONValue]?] = [[]]
        // Whether more than the history is there depends on when it was written and trimmed.
        var oldest = 0
        func come(_ state: [JSONValue]?) {
            states.append(state)
            oldest = max(oldest, states.count - 1 - history)
        }
        for round in 0..<60 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                reactor.snapshot()
            case 1:
                // Steps that never came to the log.
                for _ in 0..<Int.random(in: 1...5, using: &random) {
                    reactor.lose()
                    come(nil)
                }
                reactor.snapshot()
                states[Int(reactor.revision)] = reactor.state
            case 2:
                reactor.replace(with: (0..<3).map { _ in .number(JSONNumber(Int.random(in: 0...9, using: &random))) })
                come(reactor.state)
            case 3:
                history = Int.random(in: 0...60, using: &random)
                reactor.log.persistence = .made(history: history)
                reactor.step()
                come(reactor.state)
            case 4:
                store.close()
                store = try file.open()
                reactor = try #require(
                    try LoggedReactor(restoring: store.log(of: "light", .made(history: history))), "\(round)")
                #expect(reactor.state == states.last, "\(round)")
            default:
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    reactor.stepAsHosted(padding: Int.random(in: 0...200, using: &random))
                    come(reactor.state)
                }
            }
            if round % 6 == 5 {
                try await store.settle()
                try await check(reactor.log, states, history: history, oldest: oldest, "seed \(seed), round \(round):")
            }
        }
        store.close()
    }

    @Test("shrinks in portions, and at each moment has the state of each revision that it shows")
    func portions() async throws {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made()))
        var states: [[JSONValue]?] = [[]]
        for _ in 0..<2000 {
            reactor.step()
            if reactor.revision % 300 == 0 { reactor.snapshot() }
            states.append(reactor.state)
        }
        await store.flush()
        try await check(reactor.log, states, history: 2000, "before:")
        reactor.log.persistence = .made(history: 10)
        store.writes.queue.hang()
        reactor.step()
        states.append(reactor.state)
        // The write and the work after it, one at a time.
        let queue = store.writes.queue
        var rows: [Int64] = []
        for round in 0..<20 {
            queue.resume()
            queue.hang()
            rows.append(try file.look { try $0.integer("SELECT count(*) FROM steps") })
            try await check(reactor.log, states, history: 10, "round \(round):")
        }
        queue.resume()
        #expect(rows.last == 201, "what is after revision 1800, the snapshot that is ten before the newest")
        #expect(zip([2001] + rows, rows).allSatisfy { $0 >= $1 })
        let oldest = "SELECT min(revision) FROM snapshots WHERE reactor = 'light'"
        #expect(try file.look { try $0.integer(oldest) } == 1800)
        store.close()
    }

    @Test("no commit removes more than a portion of it")
    func onePortion() async throws {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made()))
        for _ in 0..<1000 { reactor.step() }
        reactor.snapshot()
        store.close()
        let opened = try DatabaseFile(path: file.path, schema: .reactors, disk: .system, recovers: false)
        try opened.database.execute("DELETE FROM snapshots WHERE revision = 0")
        let writer = try ReactorWriter(opened, mostBytes: StateStore.defaultBytes)
        for left in [744, 488, 232, 0] as [Int64] {
            #expect(try writer.trim(at: 0))
            #expect(try opened.database.integer("SELECT count(*) FROM steps") == left)
        }
        #expect(try !writer.trim(at: 0))
    }

    @Test("stays bounded while steps come, and the file with it")
    func bounded() async throws {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made(history: 100)))
        var most: (steps: Int64, pages: Int64) = (0, 0)
        for _ in 0..<20 {
            for _ in 0..<1000 { reactor.stepAsHosted(padding: 100) }
            await store.flush()
            let found = try file.look { database in
                (
                    try database.integer("SELECT count(*) FROM steps"),
                    try database.integer("PRAGMA page_count") - database.integer("PRAGMA freelist_count")
                )
            }
            most = (max(most.steps, found.0), max(most.pages, found.1))
        }
        // 64 KB of steps between two snapshots, and one group of writes.
        #expect(most.steps < 2500 && most.pages < 500)
        store.close()
    }

    @Test("requests a snapshot when the steps since the last are as long as the state, at least 64 KB, or many")
    func policy() throws {
        func steps(stateBytes: Int, stepBytes: Int, restoring: Int = 0) -> UInt64 {
            var progress = LogProgress(of: "light", isKept: true, retryDelay: .zero, clock: .system)
            progress.restored(
                .init(steps: restoring, bytes: restoring * stepBytes, stateBytes: stateBytes))
            var count: UInt64 = 0
            while !progress.needsSnapshot {
                #expect(progress.append(bytes: stepBytes) == nil)
                count += 1
            }
            progress.snapshot(at: count)
            #expect(!progress.needsSnapshot)
            progress.snapshotEnded(count, nil)
            #expect(!progress.needsSnapshot)
            return count
        }
        #expect(steps(stateBytes: 10, stepBytes: 64) == 1024)
        #expect(steps(stateBytes: 1 << 20, stepBytes: 1 << 10) == 1024)
        #expect(steps(stateBytes: 1 << 20, stepBytes: 1 << 10, restoring: 1000) == 24)
        #expect(steps(stateBytes: 1 << 30, stepBytes: 100) == 10_000)
        #expect(steps(stateBytes: 1 << 30, stepBytes: 1 << 30) == 1)
    }
}

extension LoggedReactor {
    /// As after a change of the definition.
    mutating func replace(with state: [JSONValue]) {
        become(state)
        log.replace(with: JSONState(.array(state)), revision: revision, time: 0, fingerprint: "two")
    }
}
