import Rx
import RxPlatform
import TestSupport
import Testing

@testable import RxStore

@Suite("The mark beside a database")
struct CommitMarksTests {
    private static let boot = BootID(high: 7, low: 8)

    /// The memory of a file that nobody has written to.
    private func memory() -> UnsafeMutableRawBufferPointer {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: CommitMarks.bytes, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        return bytes
    }

    private func marks(_ bytes: UnsafeMutableRawBufferPointer) -> CommitMarks {
        CommitMarks(FileMapping(bytes) { _ in })
    }

    private func mark(_ committed: UInt64, synced: UInt64 = 0) -> CommitMark {
        CommitMark(boot: Self.boot, committed: committed, synced: synced)
    }

    @Test("is what was noted last, also if that is a lower number")
    func last() {
        let bytes = memory()
        defer { bytes.deallocate() }
        #expect(marks(bytes).content == .none)
        for number: UInt64 in [5, 6, 7, 3] {
            marks(bytes).write(mark(number, synced: number / 2))
            #expect(marks(bytes).content == .mark(mark(number, synced: number / 2)))
        }
    }

    @Test("is the one before or the one after, wherever a kill ends the writing of one")
    func killed() {
        let words = MarkSlot.words(sequence: 3, mark(12))
        for written in 0...words.count {
            let bytes = memory()
            defer { bytes.deallocate() }
            let both = marks(bytes)
            both.write(mark(10))
            both.write(mark(11))
            // The third goes to the slot of the first: the checksum is cleared, then the words are stored in their
            // order.
            let slot = bytes.bindMemory(to: UInt64.self)[MarkSlot.words...]
            let start = slot.startIndex
            bytes.bindMemory(to: UInt64.self)[start + MarkSlot.words - 1] = 0
            for index in 0..<written { bytes.bindMemory(to: UInt64.self)[start + index] = words[index] }
            #expect(marks(bytes).content == .mark(mark(written == words.count ? 12 : 11)), "\(written) words")
        }
    }

    @Test("with a flipped bit is an earlier mark or damaged, never another one")
    func flipped() {
        for count in 1...3 {
            for bit in 0..<(CommitMarks.endsIndex * 64) {
                let bytes = memory()
                defer { bytes.deallocate() }
                let noted = marks(bytes)
                for number in 1...count { noted.write(mark(UInt64(number))) }
                bytes[bit / 8] ^= 1 << (bit % 8)
                let possible: [CommitMarks.Content] =
                    [.mark(mark(UInt64(count))), .damaged] + (count > 1 ? [.mark(mark(UInt64(count - 1)))] : [])
                #expect(possible.contains(marks(bytes).content), "\(count) marks, bit \(bit)")
            }
        }
    }

    @Test("has a note of a clean end until the next mark, also one of an earlier version")
    func cleanEnd() {
        let bytes = memory()
        defer { bytes.deallocate() }
        let noted = marks(bytes)
        noted.noteCleanEnd(size: 4096)
        #expect(noted.cleanSize == nil, "without a mark, nothing is known of the database")
        noted.write(mark(10))
        #expect(noted.cleanSize == nil)
        noted.noteCleanEnd(size: 8192)
        #expect(noted.cleanSize == 8192 && marks(bytes).cleanSize == 8192)
        let later = marks(bytes)
        later.write(mark(10))
        #expect(later.cleanSize == nil && marks(bytes).cleanSize == nil)
        noted.noteCleanEnd(size: 8192)
        #expect(marks(bytes).cleanSize == nil, "of an earlier mark")
    }

    @Test("loses the note of a clean end when that is removed, and with any flipped bit of it")
    func noCleanEnd() {
        let bytes = memory()
        defer { bytes.deallocate() }
        let synced = Locked(0)
        let noted = CommitMarks(
            FileMapping(
                bytes,
                sync: { _ in
                    synced.withLock { $0 += 1 }
                    return 0
                }, release: { _ in }))
        #expect(noted.removeCleanEnd() == 0 && synced.withLock { $0 } == 0, "there is nothing to remove")
        noted.write(mark(10))
        noted.noteCleanEnd(size: 4096)
        for bit in (2 * MarkSlot.words * 64)..<((2 * MarkSlot.words + CleanEnd.words) * 64) {
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(marks(bytes).cleanSize == nil, "\(bit)")
            bytes[bit / 8] ^= 1 << (bit % 8)
        }
        #expect(marks(bytes).cleanSize == 4096)
        #expect(noted.removeCleanEnd() == 0 && synced.withLock { $0 } == 1)
        #expect(marks(bytes).cleanSize == nil && marks(bytes).content == .mark(mark(10)))
    }

    @Test("distinguishes damage from what a crash of the machine may lose")
    func damage() {
        let noted = mark(10, synced: 6)
        let other = BootID(high: 1, low: 1)
        #expect(!noted.isDamage(at: 10, in: Self.boot))
        #expect(noted.isDamage(at: 9, in: Self.boot))
        #expect(!noted.isDamage(at: 6, in: other))
        #expect(noted.isDamage(at: 5, in: other))
        let unknown = CommitMark(boot: .unknown, committed: 10, synced: 6)
        #expect(!unknown.isDamage(at: 9, in: .unknown), "two boots of such a machine look alike")
        #expect(unknown.isDamage(at: 5, in: .unknown))
    }

    @Test("are on the disk a second after a change, together with those that follow it, and soon after a checkpoint")
    func synced() throws {
        let time = SteppedTime()
        let bytes = memory()
        defer { bytes.deallocate() }
        let onDisk = Locked<[CommitMarks.Content]>([])
        let marks = CommitMarks(
            FileMapping(
                bytes,
                sync: { bytes in
                    onDisk.withLock { $0.append(CommitMarks.newest(bytes.bindMemory(to: UInt64.self)).content) }
                    return 0
                }, release: { _ in }))
        let database = try Database(path: Database.memory, on: .system)
        try database.execute(Schema.Step.commits.sql)
        let sync = MarkSync(marks, on: time.platform.queues.serial("marks"))
        let counter = try CommitCounter(database, marks, sync, mark(0))
        for _ in 0..<5 { counter.committed(isSynced: true) }
        time.settle()
        #expect(onDisk.withLock(\.isEmpty))
        time.advance(by: MarkSync.delay)
        #expect(onDisk.withLock { $0 } == [.mark(mark(5, synced: 5))])
        time.advance(by: .seconds(10))
        #expect(onDisk.withLock(\.count) == 1, "nothing has changed")
        counter.committed(isSynced: false)
        counter.synced()
        time.settle()
        #expect(onDisk.withLock { $0.last } == .mark(mark(6, synced: 6)))
        time.advance(by: MarkSync.delay)
        #expect(onDisk.withLock(\.count) == 3)
    }

    @Test("count nothing as synced after a commit that failed until the log was moved")
    func doubt() throws {
        let bytes = memory()
        defer { bytes.deallocate() }
        let database = try Database(path: Database.memory, on: .system)
        try database.execute(Schema.Step.commits.sql)
        let counter = try CommitCounter(database, marks(bytes), nil, mark(0))
        counter.committed(isSynced: true)
        counter.doubt()
        counter.committed(isSynced: true)
        #expect(marks(bytes).content == .mark(mark(2, synced: 1)))
        #expect(try !counter.sync(database))
        counter.synced()
        #expect(marks(bytes).content == .mark(mark(2, synced: 2)))
        counter.committed(isSynced: true)
        #expect(marks(bytes).content == .mark(mark(3, synced: 3)))
    }

    @Test("have no note of a failed transaction from the next attempt on, unless that does not fit on the disk")
    func attempt() throws {
        let bytes = memory()
        defer { bytes.deallocate() }
        let database = try Database(path: Database.memory, on: .system)
        try database.execute(Schema.Step.commits.sql)
        let counter = try CommitCounter(database, marks(bytes), nil, mark(6))
        counter.void()
        #expect(marks(bytes).void.contains(7))
        try counter.count()
        #expect(!marks(bytes).void.contains(7))
        counter.failed()
        #expect(marks(bytes).void.contains(7))
        try counter.count()
        counter.committed(isSynced: true)
        counter.failed()
        #expect(!marks(bytes).void.contains(7) && !marks(bytes).void.contains(8))
    }

    @Test("have a note of a transaction that failed, which bytes that were written over it do not hide")
    func void() {
        let bytes = memory()
        defer { bytes.deallocate() }
        let noted = marks(bytes).void
        #expect(!noted.contains(0) && !noted.contains(7))
        noted.note(7)
        #expect(marks(bytes).void.contains(7) && !noted.contains(8))
        for bit in (CommitMarks.voidIndex * 64)..<((CommitMarks.voidIndex + VoidCommit.words) * 64) {
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(noted.contains(7), "\(bit)")
            bytes[bit / 8] ^= 1 << (bit % 8)
        }
    }
}
