import Dispatch
import Glibc
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("An execution store", .countedApart)
struct ExecutionStoreTests {
    private static let ends: [ExecutionRecord] = [
        .made(.completed, by: .peer(uid: 1000, gid: 100, pid: 7), input: #"{"a" : 1.0}"#),
        .made(
            .failed, by: .stream("night"),
            error: .failed(WorkFailure(message: "no", facts: ["exit": 3], mayPass: false))),
        .made(.timedOut, error: .timedOut(limit: .milliseconds(1500))),
        .made(.cancelled, error: .cancelled(by: .peer(uid: 0, gid: 0, pid: 1))),
        .made(.cancelled, error: .cancelled(by: nil)),
        .made(.cancelled, error: .superseded(by: ExecutionID())),
        .made(.cancelled, error: .stopped),
        .made(.interrupted, error: .interrupted),
    ]

    @Test("reports that writing works again when its directory is back, not while it is gone")
    func movedDirectory() async throws {
        let file = StoreFile()
        let failures = Heard<StoreError>()
        let store = try file.open(failures: failures)
        let elsewhere = file.directory + "-moved"
        try #require(rename(file.directory, elsewhere) == 0)
        let moved = StoreError.moved(path: file.path)
        #expect(await outcome { store.set(nil, of: "deploy", completion: $0) } == moved)
        for _ in 0..<3 {
            #expect(await outcome { store.ended(.made(.completed), completion: $0) } == moved)
        }
        #expect(failures.values == [moved])
        try #require(rename(elsewhere, file.directory) == 0)
        #expect(await outcome { store.ended(.made(.completed), completion: $0) } == nil)
        store.close()
        #expect(failures.values == [moved, .lost(count: 4)])
    }

    @Test("returns every end unchanged, at once and after a reopening")
    func roundTrip() async throws {
        let file = StoreFile()
        var store = try file.open()
        for record in Self.ends { store.ended(record) }
        await store.flush()
        for _ in 0..<2 {
            let page = try await store.page()
            #expect(page.records.map(\.text) == Self.ends.map(\.text) && page.next == nil)
            for record in Self.ends {
                #expect(try await store.found(record.id)?.text == record.text)
            }
            #expect(try await store.found(ExecutionID()) == nil)
            store.close()
            store = try file.open()
        }
        #expect(store.unreadableRows == 0 && store.lostWrites == 0)
    }

    @Test("an end that was in flight before, or in the same moment, is stored once")
    func lives() async throws {
        let file = StoreFile()
        let store = try file.open()
        let ids = (0..<100).map { _ in ExecutionID() }
        for (index, id) in ids.enumerated() {
            store.accepted(.made(.queued, id: id))
            if index % 2 == 0 { await store.flush() }
            store.started(id, at: 20)
            if index % 3 == 0 { await store.flush() }
            store.ended(.made(.completed, id: id))
            store.ended(.made(.failed, id: id), isKept: index % 5 == 0)
        }
        await store.flush()
        let page = try await store.page()
        #expect(page.records.map(\.id) == ids)
        #expect(page.records.allSatisfy { $0.state == .completed }, "the first end counts")
        store.close()
    }

    @Test("an execution without history leaves no trace")
    func notKept() async throws {
        let file = StoreFile()
        let store = try file.open()
        let record = ExecutionRecord.made(.queued)
        #expect(await outcome { store.accepted(record, durableInput: .null, completion: $0) } == nil)
        #expect(await outcome { store.ended(.made(.completed, id: record.id), isKept: false, completion: $0) } == nil)
        #expect(try await store.page().records.isEmpty)
        store.close()
        #expect(try file.open().takeRecovery().queued.isEmpty)
    }

    @Test("keeps small inputs whole and large ones not at all, and shortens large errors")
    func sizes() async throws {
        let file = StoreFile()
        let store = try file.open()
        let small = "\"" + String(repeating: "x", count: ExecutionRecord.inputBytesKept - 2) + "\""
        let large = "\"" + String(repeating: "x", count: ExecutionRecord.inputBytesKept - 1) + "\""
        let text = String(repeating: "y", count: ExecutionRecord.errorBytesKept)
        let records: [ExecutionRecord] = [
            .made(.completed, input: small), .made(.completed, input: large),
            .made(.failed, error: .failed(WorkFailure(message: text, facts: ["a": .string(text)]))),
        ]
        for record in records { store.ended(record) }
        await store.flush()
        let found = try await store.page().records
        #expect(found.map { $0.input?.text } == [small, nil, nil])
        guard case .failed(let failure)? = found[2].error else {
            Issue.record("not a failure")
            return
        }
        #expect(text.hasPrefix(failure.message) && failure.message.utf8.count == ExecutionRecord.errorBytesKept / 2)
        store.close()
    }

    @Test("lets no other user read its files")
    func mode() async throws {
        let file = StoreFile()
        let store = try file.open()
        await store.flush()
        for suffix in ["", "-wal", "-shm", "-lock"] {
            var facts = stat()
            try #require(stat(file.path + suffix, &facts) == 0)
            #expect(facts.st_mode & 0o777 == 0o600, "\(suffix)")
        }
        store.close()
    }

    @Test("is one daemon's at a time, and the next one's when that has closed it")
    func twoStores() throws {
        let file = StoreFile()
        let store = try file.open()
        #expect(throws: StoreError.inUse(path: file.path)) { try file.open() }
        #expect(StoreError.inUse(path: file.path).description.contains(file.path))
        store.close()
        try file.open().close()
    }

    @Test("is closed once, and refuses later calls with that reason")
    func closing() async throws {
        let failures = Heard<StoreError>()
        let file = StoreFile()
        let store = try file.open(failures: failures)
        let done = Heard<StoreError?>()
        for _ in 0..<500 { store.ended(.made(.completed)) { done.add($0) } }
        store.close()
        #expect(done.values.count == 500 && done.values.allSatisfy { $0 == nil }, "all that waited was written")
        store.close()
        #expect(await outcome { store.ended(.made(.completed), completion: $0) } == .closed)
        await #expect(throws: StoreError.closed) { try await store.page() }
        #expect(access(file.path + "-wal", F_OK) != 0, "nothing is left in the log")
        let again = try file.open()
        #expect(try await again.page().records.count == 500)
        again.close()
    }

    @Test("a directory that cannot be written to is reported with the path and the reason")
    func noDirectory() {
        for (path, reason) in [("/proc/rxd.db", ENOENT), ("/nowhere/at/all/rxd.db", ENOENT)] {
            #expect(throws: StoreError.file(call: "open", path: path + "-lock", errno: reason)) {
                try ExecutionStore(path: path) { _ in }
            }
        }
    }

    @Test("a full disk fails the pending writes, is reported once, and so is its end")
    func fullDisk() async throws {
        let failures = Heard<StoreError>()
        let file = StoreFile()
        let store = try file.open(failures: failures)
        store.ended(.made(.completed))
        await store.flush()
        try store.limit(pages: 1)
        let input = "\"" + String(repeating: "x", count: 4000) + "\""
        var lost = 0
        for _ in 0..<20 {
            let error = await outcome { store.ended(.made(.completed, input: input), completion: $0) }
            if error != nil { lost += 1 }
        }
        try #require(lost > 10 && store.lostWrites == lost)
        #expect(failures.values.count == 1)
        guard case .failed(_, _, let code, _, _)? = failures.values.first else {
            Issue.record("reported \(failures.values)")
            return
        }
        #expect(code & 0xFF == 13, "SQLITE_FULL")
        #expect(try await store.page().records.count == 21 - lost, "what was before can be read")
        try store.limit(pages: 1_000_000)
        #expect(await outcome { store.ended(.made(.completed), completion: $0) } == nil)
        #expect(await eventually { failures.values.count == 2 })
        #expect(failures.values.last == .lost(count: lost))
        #expect(try await store.page().records.count == 22 - lost)
        store.close()
    }

    @Test("an end that could not be written is not undone by the next daemon")
    func lostEnd() async throws {
        let file = StoreFile()
        let store = try file.open()
        let waiting = ExecutionRecord.made(.queued)
        let running = ExecutionRecord.made(.executing)
        let other = ExecutionRecord.made(.queued)
        for record in [waiting, running, other] { store.accepted(record, durableInput: .true) }
        await store.flush()
        try store.limit(pages: 1)
        let input = "\"" + String(repeating: "x", count: 4000) + "\""
        store.writes.queue.hang()
        let outcomes = Heard<StoreError?>()
        for _ in 0..<20 { store.ended(.made(.completed, input: input)) { outcomes.add($0) } }
        store.ended(.made(.cancelled, id: waiting.id)) { outcomes.add($0) }
        store.ended(.made(.completed, id: running.id)) { outcomes.add($0) }
        store.writes.queue.resume()
        #expect(await eventually { outcomes.values.count == 22 })
        #expect(outcomes.values.allSatisfy { $0 != nil })
        try store.limit(pages: 1_000_000)
        await store.flush()
        store.close()
        let again = try file.open()
        let recovery = again.takeRecovery()
        #expect(recovery.queued.map(\.id) == [other.id] && recovery.interrupted.isEmpty)
        again.close()
    }

    @Test("the log stays small while much is written, and a large one shrinks")
    func log() async throws {
        let file = StoreFile()
        let store = try file.open()
        @Sendable func logBytes() -> Int {
            var facts = stat()
            return stat(file.path + "-wal", &facts) == 0 ? Int(facts.st_size) : 0
        }
        let large = RawJSON(unchecked: Array(("\"" + String(repeating: "x", count: 1 << 20) + "\"").utf8))
        let ids = (0..<40).map { _ in ExecutionID() }
        store.writes.queue.hang()
        // Completions are called before the log is moved to the file.
        let sizes = Heard<Int>()
        for id in ids { store.accepted(.made(.queued, id: id), durableInput: large) { _ in sizes.add(logBytes()) } }
        store.writes.queue.resume()
        await store.flush()
        #expect(sizes.values.first ?? 0 > 40 << 20, "one transaction is in the log as a whole")
        for _ in 0..<20 {
            for _ in 0..<500 { store.ended(.made(.completed)) }
            await store.flush()
        }
        #expect(logBytes() < 12 << 20)
        store.close()
    }

    @Test("a disk that hangs costs bounded memory; further writes are refused, counted, and reported once")
    func hangingDisk() async throws {
        let failures = Heard<StoreError>()
        let limit = 100_000
        let file = StoreFile()
        let store = try file.open(waitingBytes: limit, failures: failures)
        await store.flush()
        store.writes.queue.hang()
        let outcomes = Heard<StoreError?>()
        let input = "\"" + String(repeating: "x", count: 1000) + "\""
        let count = 500
        for _ in 0..<count { store.ended(.made(.completed, input: input)) { outcomes.add($0) } }
        // Refused writes are reported although nothing is written.
        store.writes.refusals.sync {}
        let refused = outcomes.values.count
        #expect(
            outcomes.values.allSatisfy { $0 == .overloaded(limit: limit) } && refused < count
                && refused >= count - limit / 1000)
        #expect(failures.values == [.overloaded(limit: limit)])
        store.writes.queue.resume()
        #expect(await eventually { outcomes.values.count == count })
        #expect(try await store.page().records.count == count - refused)
        #expect(store.lostWrites == refused)
        #expect(failures.values == [.overloaded(limit: limit), .lost(count: refused)])
        store.close()
    }

    @Test("reads do not wait for writes")
    func reads() async throws {
        let file = StoreFile()
        let store = try file.open()
        store.ended(.made(.completed))
        await store.flush()
        store.writes.queue.hang()
        store.ended(.made(.completed))
        #expect(try await store.page().records.count == 1)
        store.writes.queue.resume()
        store.close()
    }

    @Test("no more reads wait than may: of one user, and of all together, beside those of the daemon")
    func waitingReads() async throws {
        let file = StoreFile()
        let store = try file.open()
        store.reads.queue.hang()
        let results = Heard<StoreError?>()
        func read(for user: UInt32?) {
            store.record(ExecutionID(), for: user) { result in
                if case .failure(let error) = result { results.add(error) } else { results.add(nil) }
            }
        }
        let (all, ofUser) = (StoreLimits.waitingReads, StoreLimits.waitingReadsOfUser)
        for _ in 0..<(ofUser + 5) { read(for: 1) }
        #expect(await eventually { results.values.count == 5 })
        #expect(results.values.allSatisfy { $0 == .overloaded(limit: ofUser) })
        #expect(store.waitingReads(of: 1) == ofUser && store.waitingReads(of: 2) == 0)
        let last = UInt32(all / ofUser)
        for user in 2...last {
            for _ in 0..<ofUser { read(for: user) }
        }
        // The last of them finds less, and leaves some for users who have none yet.
        let refused = ofUser - store.waitingReads(of: last)
        #expect(refused > 0 && refused < ofUser)
        read(for: last + 1)
        // Root finds room until the end.
        let left = all - (1...last + 1).reduce(0) { $0 + store.waitingReads(of: $1) }
        #expect(left > all / 100)
        for _ in 0..<(left + 3) { read(for: 0) }
        for _ in 0..<2 { read(for: nil) }
        #expect(await eventually { results.values.count == 8 + refused })
        #expect(results.values.dropFirst(5).allSatisfy { $0 == .overloaded(limit: all) })
        #expect(store.waitingReads(of: last + 1) == 1 && store.waitingReads(of: 0) == left)
        store.reads.queue.resume()
        #expect(await eventually { results.values.count == all + 10 + refused })
        #expect(results.values.dropFirst(8 + refused).allSatisfy { $0 == nil } && store.waitingReads(of: 1) == 0)
        store.close()
    }

    @Test("reads serve users in turn, and the daemon like one of them")
    func readsInTurn() async throws {
        let file = StoreFile()
        let store = try file.open()
        store.reads.queue.hang()
        let served = Heard<String>()
        func read(_ name: String, for user: UInt32?) {
            store.record(ExecutionID(), for: user) { _ in served.add(name) }
        }
        for number in 1...100 { read("a\(number)", for: 1) }
        for number in 1...2 { read("b\(number)", for: 2) }
        read("daemon", for: nil)
        store.reads.queue.resume()
        #expect(await eventually { served.values.count == 103 })
        #expect(served.values.prefix(6) == ["a1", "b1", "daemon", "a2", "b2", "a3"])
        #expect(served.values.suffix(98) == (3...100).map { "a\($0)" }[...])
        store.close()
    }

    @Test("a probe is answered when the writes make progress, also while more of them wait, and not before")
    func probes() async throws {
        let file = StoreFile()
        let store = try file.open()
        let gate = DispatchSemaphore(value: 0)
        let answers = Heard<String>()
        store.ended(.made(.completed)) { _ in gate.wait() }
        store.probe { answers.add("probe") }
        #expect(answers.values.isEmpty, "the queue is blocked")
        store.ended(.made(.completed)) { _ in
            store.probe { answers.add("later") }
            store.ended(.made(.completed)) { _ in answers.add("last write") }
        }
        gate.signal()
        #expect(await eventually { answers.values.count == 3 })
        #expect(Set(answers.values) == ["probe", "later", "last write"])
        store.close()
    }

    @Test("a probe waits for a read that takes long")
    func readProbe() async throws {
        let file = StoreFile()
        let store = try file.open()
        let gate = DispatchSemaphore(value: 0)
        let answers = Heard<String>()
        store.record(ExecutionID()) { _ in
            gate.wait()
            answers.add("read")
        }
        store.probe { answers.add("probe") }
        gate.signal()
        #expect(await eventually { answers.values == ["read", "probe"] })
        store.close()
    }
}
