internal import Rx
internal import RxPlatform

/// A note beside the database that events up to a number may not be in it, although readers may have them. It needs no
/// room on a full disk and no disk that answers, and survives a kill. After a power cut the log begins anew anyway.
///
/// The file has the number and its complement, or two zeros for no note.
// Unchecked: the lock of `isOpen` guards the words.
final class MissingEvents: @unchecked Sendable {
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

    /// The number in the file; nil without a note. If the two words do not fit, it is the greatest number: a kill came
    /// between the two, or something else was written there.
    var through: UInt64? {
        isOpen.withLock { _ in
            if words[0] == 0, words[1] == 0 { return nil }
            return words[0] == ~words[1] ? words[0] : .max
        }
    }

    /// Lets another daemon have the file: ignores later notes.
    func close() { isOpen.withLock { $0 = false } }

    /// Replaces the note; nil for none.
    func note(_ number: UInt64?) {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            words[0] = number ?? 0
            words[1] = number.map { ~$0 } ?? 0
        }
    }
}
