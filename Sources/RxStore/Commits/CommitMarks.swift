internal import RxPlatform
internal import Synchronization

/// The mark of a database in a mapped file: it survives a kill of the process at any moment, and noting one takes no
/// system call.
///
/// The file has two slots, which are written in turn, so that one of them is whole at any time.
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
    static let bytes = 2 * MarkSlot.words * MemoryLayout<UInt64>.size

    private let mapping: FileMapping
    private let words: UnsafeMutableBufferPointer<UInt64>
    private var sequence: UInt64 = 0
    private(set) var content = Content.none

    init(_ mapping: FileMapping) {
        self.mapping = mapping
        words = mapping.bytes.bindMemory(to: UInt64.self)
        for slot in [MarkSlot(words[0..<MarkSlot.words]), MarkSlot(words[MarkSlot.words..<(2 * MarkSlot.words)])] {
            switch slot {
            case .empty: break
            case .whole(let sequence, let mark):
                guard sequence > self.sequence else { break }
                self.sequence = sequence
                content = .mark(mark)
            case .damaged: if content == .none { content = .damaged }
            }
        }
    }

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
