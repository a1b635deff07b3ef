internal import Rx
internal import RxPlatform

/// A note beside the database of the greatest number that events of this daemon may have: while the disk is full, the
/// database cannot reserve more, and events go on. It survives a kill; after a power cut the log begins anew anyway.
///
/// The file has the number and its complement, or two zeros for no note.
// Unchecked: the lock of `isOpen` guards the words.
final class ReservedNumbers: @unchecked Sendable {
    static let words = 2

    /// Keeps the memory.
    private let mapping: FileMapping
    private let words: UnsafeMutableBufferPointer<UInt64>
    /// Whether the file is ours.
    private let isOpen = Locked(true)

    /// - Parameter index: the word at which it begins.
    init(_ mapping: FileMapping, at index: Int) {
        self.mapping = mapping
        words = UnsafeMutableBufferPointer(
            rebasing: mapping.bytes.bindMemory(to: UInt64.self)[index..<(index + Self.words)])
    }

    /// The number; 0 without a note, and nil if the words do not fit: a kill came between the two, or something else
    /// was written there.
    var last: UInt64? {
        isOpen.withLock { _ in
            if words[0] == 0, words[1] == 0 { return 0 }
            return words[0] == ~words[1] ? words[0] : nil
        }
    }

    /// Lets another daemon have the file: ignores later notes.
    func close() { isOpen.withLock { $0 = false } }

    /// Events may have numbers up to this one.
    func note(through number: UInt64) {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            (words[0], words[1]) = (number, ~number)
        }
    }
}
