import RxJSON
import RxPlatform

@testable import RxSources

// Sendable: one thread uses it.
/// A journal in memory, with every record matching.
final class FakeJournal: JournalSystem, @unchecked Sendable {
    struct Entry {
        var unit: String?
        var bytes = 10
        /// When it was received; its number, if nil.
        var microseconds: UInt64?
    }

    /// Why the next attempts fail.
    var failures: [JournalFailure] = []
    /// Fails the next reading.
    var readFailure: JournalFailure?
    /// What the next update finds missing.
    var gap: JournalGap?
    private(set) var entries: [Entry] = []
    private(set) var attempts = 0
    private(set) var open: [Open] = []

    func append(_ count: Int, unit: String? = "a.service", bytes: Int = 10, at microseconds: UInt64? = nil) {
        for _ in 0..<count { entries.append(Entry(unit: unit, bytes: bytes, microseconds: microseconds)) }
        for journal in open { journal.change() }
    }

    func open(
        _ rule: JournalRule, on queue: WorkQueue, changed: @escaping @Sendable () -> Void
    ) throws(JournalFailure) -> any OpenJournal {
        attempts += 1
        if !failures.isEmpty { throw failures.removeFirst() }
        let journal = Open(self, queue, changed)
        open.append(journal)
        return journal
    }

    // Sendable: one thread uses it.
    final class Open: OpenJournal, @unchecked Sendable {
        private let journal: FakeJournal
        private let queue: WorkQueue
        private let changed: @Sendable () -> Void
        private var place = 0
        private var isWaiting = false
        /// What had been read at each update.
        private(set) var placesOfUpdates: [Int] = []

        init(_ journal: FakeJournal, _ queue: WorkQueue, _ changed: @escaping @Sendable () -> Void) {
            self.journal = journal
            self.queue = queue
            self.changed = changed
        }

        func change() {
            guard isWaiting else { return }
            isWaiting = false
            queue.async { [changed] in changed() }
        }

        func seekToEnd() -> String? {
            place = journal.entries.count
            return place > 0 ? "\(place - 1)" : nil
        }

        func seek(since microseconds: UInt64) {
            place = journal.entries.indices.first { time(of: $0) >= microseconds } ?? journal.entries.count
        }

        private func time(of place: Int) -> UInt64 { journal.entries[place].microseconds ?? UInt64(place) }

        func seek(after cursor: String) throws(JournalFailure) {
            guard let index = Int(cursor) else { throw .invalidCursor }
            place = index + 1
        }

        func next(_ isWanted: (JournalOrigin) -> Bool) throws(JournalFailure) -> JournalStep {
            if let failure = journal.readFailure {
                journal.readFailure = nil
                throw failure
            }
            guard place < journal.entries.count else { return .end }
            let entry = journal.entries[place]
            let microseconds = time(of: place)
            place += 1
            guard isWanted(JournalOrigin(unit: entry.unit, microseconds: microseconds)) else { return .unwanted }
            let fields = RawJSON(.string(String(repeating: "x", count: entry.bytes)))
            return .record(JournalRecord(cursor: "\(place - 1)", microseconds: microseconds, fields: fields))
        }

        func awaitChange() { isWaiting = true }
        func update() -> JournalGap? {
            placesOfUpdates.append(place)
            defer { journal.gap = nil }
            return journal.gap
        }
        func close() { journal.open.removeAll { $0 === self } }
    }
}
