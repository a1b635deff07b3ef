internal import RxPlatform
internal import Synchronization

/// The mark of a database in a mapped file: it survives a kill of the process at any moment, and noting one takes no
/// system call.
///
/// The file has two slots, which are written in turn, so that one of them is whole at any time. A note of a clean end
/// follows them, then those of missing events, of a transaction that counts as failed, of reserved numbers, and of lost
/// ends.
///
/// A kill loses none of them. A power cut leaves the mark and the note of a clean end as they were at one moment, since
/// they are in one sector, and any other page as it was at another moment. The other notes need not survive that: a
/// start in another boot begins the log anew, unless there is the note of a clean end, which is written once all else
/// is on the disk.
// Unchecked: used from one queue.
final class CommitMarks: @unchecked Sendable {
    /// What the file contains.
    enum Content: Equatable {
        /// Nothing has been noted yet.
        case none
        case mark(CommitMark)
        /// Other bytes were written over the mark.
        case damaged
    }

    /// The bytes of the file that are used.
    static let bytes = (endsIndex + LostEnds.words) * MemoryLayout<UInt64>.size
    /// The word at which the note of a clean end begins. Earlier versions do not map it.
    private static let endIndex = 2 * MarkSlot.words
    /// The word at which the note of missing events begins. Earlier versions do not map it either.
    static let missingIndex = endIndex + CleanEnd.words
    /// The word at which the note of a failed transaction begins. Earlier versions map neither this nor what follows.
    static let voidIndex = missingIndex + MissingEvents.words
    /// The word at which the note of reserved numbers begins.
    private static let numbersIndex = voidIndex + VoidCommit.words
    /// The word at which the note of lost ends begins.
    static let endsIndex = numbersIndex + ReservedNumbers.words

    private let mapping: FileMapping
    private let words: UnsafeMutableBufferPointer<UInt64>
    private var sequence: UInt64
    private(set) var content: Content
    /// Whether one of the slots was damaged in the file, so that there may have been a newer mark than `content`.
    let hasDamage: Bool
    /// The note of events that are not in the database. Unlike the rest, it may be used from any thread.
    let missing: MissingEvents
    /// The note of a transaction that was reported as failed.
    let void: VoidCommit
    /// The note of reserved numbers. It may be used from any thread, too.
    let numbers: ReservedNumbers
    /// The note of executions whose ends are not in the database. It may be used from any thread, too.
    let ends: LostEnds

    init(_ mapping: FileMapping) {
        self.mapping = mapping
        words = mapping.bytes.bindMemory(to: UInt64.self)
        (content, sequence, hasDamage) = Self.newest(words)
        missing = MissingEvents(mapping, at: Self.missingIndex)
        void = VoidCommit(mapping, at: Self.voidIndex)
        numbers = ReservedNumbers(mapping, at: Self.numbersIndex)
        ends = LostEnds(mapping, at: Self.endsIndex)
    }

    /// The newest mark, its sequence number, and whether one of the slots is damaged.
    ///
    /// - Parameter words: the words of the file; at least those of both slots.
    static func newest(_ words: some RandomAccessCollection<UInt64>) -> (
        content: Content, sequence: UInt64, hasDamage: Bool
    ) {
        var newest = (content: Content.none, sequence: UInt64(0), hasDamage: false)
        for index in 0..<2 {
            switch MarkSlot(words.dropFirst(index * MarkSlot.words).prefix(MarkSlot.words)) {
            case .empty: break
            case .whole(let sequence, let mark):
                if sequence > newest.sequence { (newest.content, newest.sequence) = (.mark(mark), sequence) }
            case .damaged:
                newest.hasDamage = true
                if newest.content == .none { newest.content = .damaged }
            }
        }
        return newest
    }

    /// The note of a clean end; nil if there is none that is valid.
    var cleanEnd: CleanEnd? {
        guard let end = CleanEnd(words[Self.endIndex..<(Self.endIndex + CleanEnd.words)]), end.sequence == sequence,
            case .mark = content
        else { return nil }
        return end
    }

    /// The size that the database had when it was closed with everything in its file; nil if it was not.
    var cleanSize: Int? { cleanEnd.flatMap { $0.size == 0 ? nil : Int(clamping: $0.size) } }

    /// Notes that the database is closed, with everything on the disk.
    ///
    /// - Parameter size: the bytes of its file, if that has everything and is whole; otherwise 0.
    func noteCleanEnd(size: Int) {
        let end = CleanEnd(sequence: sequence, size: UInt64(clamping: size))
        for (index, word) in end.encoded.enumerated() { words[Self.endIndex + index] = word }
    }

    /// Removes the note of a clean end, and returns when that is on the disk: before the database changes, so that no
    /// crash leaves a changed database with the note.
    ///
    /// - Returns: an errno; 0 for success.
    func removeCleanEnd() -> Int32 {
        let note = Self.endIndex..<(Self.endIndex + CleanEnd.words)
        guard words[note].contains(where: { $0 != 0 }) else { return 0 }
        for index in note { words[index] = 0 }
        return mapping.sync()
    }

    /// Writes everything to the disk, and returns when it is there. May be called from any thread.
    ///
    /// - Returns: an errno; 0 for success.
    func sync() -> Int32 { mapping.sync() }

    /// Notes a mark.
    func write(_ mark: CommitMark) {
        sequence += 1
        let slot = Int(sequence % 2) * MarkSlot.words
        words[slot + MarkSlot.words - 1] = 0
        // A kill between two stores must not leave a checksum that belongs to other words.
        for (index, word) in MarkSlot.words(sequence: sequence, mark).enumerated() {
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            words[slot + index] = word
        }
        content = .mark(mark)
    }
}
