import Rx
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("Executions whose ends could not be stored", .countedApart)
struct LostEndsTests {
    private let file = StoreFile()

    private func event(_ number: UInt64, _ record: ExecutionRecord, _ content: LoggedEvent.Content) -> LoggedEvent {
        LoggedEvent(
            number: number, time: 20, name: record.action, execution: record.id, ordinal: 1, content: content)
    }

    /// Stores that an execution has started.
    private func start(_ store: ExecutionStore) async -> ExecutionRecord {
        let record = ExecutionRecord.made(.completed)
        store.accepted(.made(.executing, id: record.id))
        let started = event(store.takeRecovery().log.last + 1, record, .started(record))
        #expect(await outcome { _ = store.log([started], completion: $0) } == nil)
        return record
    }

    private func expectForgotten(_ file: StoreFile, _ hint: Comment) async throws {
        for _ in 0..<2 {
            let store = try file.open()
            let recovery = store.takeRecovery()
            #expect(recovery.interruptedCount == 0 && recovery.interrupted.isEmpty, hint)
            #expect(recovery.log.events.isEmpty, hint)
            #expect(try await store.page().records.isEmpty, hint)
            store.close()
            #expect(try file.look { try $0.integer("SELECT count(*) FROM pending") } == 0, hint)
        }
        let marks = CommitMarks(try Disk.system.map(file.path + "-lock", CommitMarks.bytes))
        #expect(marks.ends.ids == [], hint)
    }

    @Test("because the disk is full are not interrupted at the next start, and in the history once there is room")
    func fullDisk() async throws {
        let store = try file.open()
        let record = await start(store)
        try store.limit(pages: 1)
        let large = RawJSON(.string(String(repeating: "x", count: 1 << 20)))
        let refusal = LoggedEvent(number: 1 << 40, time: 20, name: "deploy", content: .other(kind: "refused", large))
        let end = event(1 << 40 + 1, record, .ended(record, isKeyed: false))
        #expect(await outcome { _ = store.log([refusal, end], completion: $0) } != nil)
        let killed = try file.killed()
        try await expectForgotten(killed, "killed")
        try store.limit(pages: 1_000_000)
        await store.flush()
        let marks = CommitMarks(try Disk.system.map(file.path + "-lock", CommitMarks.bytes))
        #expect(marks.ends.ids == [])
        store.close()
        let next = try file.open()
        let recovery = next.takeRecovery()
        #expect(recovery.interruptedCount == 0 && recovery.log.events.isEmpty)
        #expect(try await next.page().records.map(\.text) == [record.text])
        next.close()
    }

    @Test("are interrupted for their keys after a kill, and otherwise settle them; these do not start them again")
    func keyed() async throws {
        let store = try file.open()
        let record = ExecutionRecord.made(.completed)
        let key = ExecutionKey("once", uid: 7, inputHash: "h")
        store.accepted(.made(.executing, id: record.id), key: key)
        await store.flush()
        try store.limit(pages: 1)
        let large = RawJSON(.string(String(repeating: "x", count: 1 << 20)))
        let refusal = LoggedEvent(number: 1 << 40, time: 20, name: "deploy", content: .other(kind: "refused", large))
        let end = event(1 << 40 + 1, record, .ended(record, isKeyed: true))
        #expect(await outcome { _ = store.log([refusal, end], completion: $0) } != nil)
        let killed = try file.killed()
        try store.limit(pages: 1_000_000)
        store.close()
        for (file, state, count) in [(killed, ExecutionState.interrupted, 0), (file, .completed, 1)] {
            let next = try file.open()
            let recovery = next.takeRecovery()
            #expect(recovery.keyed.map(\.key.text) == ["once"] && recovery.keyed.first?.record?.state == state)
            #expect(recovery.interruptedCount == 0)
            #expect(try await next.page().records.count == count)
            next.close()
        }
    }

    @Test("because the store had no room are not interrupted at the next start either", .ownThreads)
    func overloaded() async throws {
        let store = try file.open(waitingBytes: 10_000)
        await store.flush()
        store.writes.queue.hang()
        // The start and the end wait for the same commit.
        let record = ExecutionRecord.made(.completed)
        store.accepted(.made(.executing, id: record.id))
        let large = RawJSON(.string(String(repeating: "x", count: 8_400)))
        store.ended(.made(.completed, input: large.text))
        let end = event(1 << 40, record, .ended(record, isKeyed: false))
        #expect(store.log([end]) { _ in Issue.record("it is refused") } == .overloaded(limit: 10_000))
        let marks = CommitMarks(try Disk.system.map(file.path + "-lock", CommitMarks.bytes))
        #expect(marks.ends.ids == [record.id], "before readers receive the end")
        store.writes.queue.resume()
        store.writes.flush()
        let killed = try file.killed()
        #expect(try killed.look { try $0.integer("SELECT count(*) FROM pending") } == 1)
        for file in [killed, file] {
            if file === self.file { store.close() }
            let next = try file.open()
            #expect(next.takeRecovery().interruptedCount == 0)
            #expect(try await next.page().records.map(\.state) == [.completed], "the other one")
            next.close()
            #expect(try file.look { try $0.integer("SELECT count(*) FROM pending") } == 0)
        }
    }

    @Test("keep their events and output if the history has their records all the same")
    func inHistory() async throws {
        let store = try file.open()
        let record = await start(store)
        let end = event(store.takeRecovery().log.last + 1, record, .ended(record, isKeyed: false))
        #expect(await outcome { _ = store.log([end], completion: $0) } == nil)
        await store.flush()
        let marks = CommitMarks(try Disk.system.map(file.path + "-lock", CommitMarks.bytes))
        let killed = try file.killed()
        store.close()
        let note = CommitMarks(try Disk.system.map(killed.path + "-lock", CommitMarks.bytes))
        #expect(marks.ends.ids == [])
        note.ends.add([record.id])
        let next = try killed.open()
        #expect(next.takeRecovery().log.events.map(\.execution) == [record.id, record.id])
        #expect(try await next.page().records.map(\.state) == [.completed])
        next.close()
    }

    @Test("keep records of 8 MiB in memory; of the others, only the ids")
    func bounded() async throws {
        let store = try file.open()
        let input = RawJSON(.string(String(repeating: "x", count: 1 << 20))).text
        let records = (0..<10).map { _ in ExecutionRecord.made(.completed, input: input) }
        for record in records { store.accepted(.made(.executing, id: record.id)) }
        await store.flush()
        try store.disk(fails: true)
        for record in records {
            #expect(await outcome { store.ended(record, isKept: true, isKeyed: false, completion: $0) } != nil)
        }
        try store.disk(fails: false)
        await store.flush()
        #expect(try await store.page().records.count == 7)
        store.close()
        #expect(try file.look { try $0.integer("SELECT count(*) FROM pending") } == 0)
    }

    @Test(
        "before their acceptance could be stored are not in flight for the next daemon; their claim is kept",
        .ownThreads)
    func endedBeforeAcceptance() async throws {
        let store = try file.open()
        let retry = WriteRetry()
        let record = ExecutionRecord.made(.executing)
        await store.flush()
        try store.disk(fails: true)
        store.writes.queue.hang()
        let rows = [StreamRow(stream: "s", name: "n", value: .true)]
        store.accepted(record, durableInput: .null, rows: rows, retry: retry)
        // The end comes before the first attempt.
        #expect(!retry.revokeOrLater(leaving: .claim))
        store.writes.queue.resume()
        #expect(await outcome { store.ended(.made(.cancelled, id: record.id), completion: $0) } != nil)
        #expect(!retry.isHeld)
        try store.disk(fails: false)
        await store.flush()
        store.writes.flush()
        #expect(try file.look { try $0.integer("SELECT count(*) FROM pending") } == 0)
        #expect(try file.look { try $0.integer("SELECT count(*) FROM stream_values") } == 1)
        store.close()
        let next = try file.open()
        #expect(next.takeRecovery().interruptedCount == 0)
        next.close()
    }

    @Test("before their start could be stored leave nothing to be tried again, once that has failed", .ownThreads)
    func endedBeforeStart() async throws {
        let store = try file.open()
        let record = ExecutionRecord.made(.queued)
        store.accepted(record, durableInput: .null)
        await store.flush()
        try store.disk(fails: true)
        store.writes.queue.hang()
        let (retry, heard) = (WriteRetry(), Heard<StoreError?>())
        store.started(record.id, at: 20, isDurable: true, retry: retry) { heard.add($0) }
        #expect(!retry.revokeOrLater(leaving: .nothing) && !retry.revokeOrLater(leaving: .nothing))
        store.writes.queue.resume()
        store.writes.flush()
        #expect(!retry.isHeld)
        try store.disk(fails: false)
        await store.flush()
        store.writes.flush()
        #expect(heard.values == [.closed])
        store.close()
    }

    @Test("are removed with the next commit, and then from the note")
    func nextCommit() async throws {
        let store = try file.open(waitingBytes: 2_000)
        let record = await start(store)
        store.writes.queue.hang()
        let large = RawJSON(.string(String(repeating: "x", count: 9_000)))
        store.ended(.made(.completed, input: large.text))
        #expect(store.log([event(1 << 40, record, .ended(record, isKeyed: false))]) { _ in } != nil)
        store.writes.queue.resume()
        store.writes.flush()
        await store.flush()
        let marks = CommitMarks(try Disk.system.map(file.path + "-lock", CommitMarks.bytes))
        #expect(marks.ends.ids == [])
        #expect(try file.look { try $0.integer("SELECT count(*) FROM pending") } == 0)
        store.close()
    }

    @Test("are on the disk before the note of a clean end, which vouches for them")
    func cleanEnd() throws {
        let synced = Locked<[[UInt8]]>([])
        var disk = Disk.system
        disk.map = { path, count throws(DiskFailure) in
            let mapping = try Disk.system.map(path, count)
            return FileMapping(
                mapping.bytes,
                sync: { bytes in
                    synced.withLock { $0.append(Array(bytes)) }
                    return 0
                }, release: { _ in withExtendedLifetime(mapping) {} })
        }
        let database = try DatabaseFile(path: file.path, schema: .executions, disk: disk, recovers: false)
        // The last place is on another page than the mark.
        database.ends.add((0..<LostEnds.most).map { _ in ExecutionID() })
        database.counter.accept()
        database.close(isWhole: true)
        func marks(_ bytes: [UInt8]) -> CommitMarks {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
            copy.copyBytes(from: bytes)
            return CommitMarks(FileMapping(copy) { $0.deallocate() })
        }
        let states = synced.withLock { $0 }.map(marks)
        let first = try #require(states.firstIndex { $0.cleanEnd != nil })
        #expect(first > 0 && states[first - 1].ends.ids.count == LostEnds.most)
    }

    @Test("are noted up to a limit; a torn place is no id, and those that leave make room")
    func note() {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 8 * LostEnds.words, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        let mapping = FileMapping(bytes) { $0.deallocate() }
        let words = bytes.bindMemory(to: UInt64.self)
        let note = LostEnds(mapping, at: 0)
        #expect(note.ids == [])
        let ids = (0...LostEnds.most).map { _ in ExecutionID() }
        note.add(ids)
        note.add(Array(ids[..<5]))
        #expect(Set(note.ids) == Set(ids.dropLast()) && Set(LostEnds(mapping, at: 0).ids) == Set(ids.dropLast()))
        note.remove(Array(ids[..<2]))
        note.add([ids[LostEnds.most]])
        #expect(Set(LostEnds(mapping, at: 0).ids) == Set(ids[2...]))
        note.remove(ids)
        #expect(LostEnds(mapping, at: 0).ids == [])
        note.add([ids[0]])
        let place = words.firstIndex { $0 != 0 } ?? 0
        let whole = Array(words[place..<place + 3])
        for written in 1..<7 {
            for index in 0..<3 { words[place + index] = written >> index & 1 == 1 ? whole[index] : 0 }
            #expect(LostEnds(mapping, at: 0).ids == [], "\(written)")
        }
        note.close()
        note.add([ids[1]])
        #expect(!LostEnds(mapping, at: 0).ids.contains(ids[1]))
    }
}
