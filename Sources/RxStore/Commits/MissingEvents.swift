internal import Rx
internal import RxPlatform

/// A note beside the database that events with some numbers may not be in it, although readers may have them. It needs
/// no room on a full disk and no disk that answers, and survives a kill. After a power cut the log begins anew anyway.
///
/// The file has the last number and its complement, or two zeros for no note, then the first number and its complement,
/// of which earlier versions do not know.
// Unchecked: the lock of `isOpen` guards the words.
final class MissingEvents: @unchecked Sendable {
    static let words = 4

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

    /// The numbers in the file; nil without a note. If a number and its complement do not fit, it is the greatest, or
    /// the least: a kill came between the two, or something else was written there.
    var numbers: ClosedRange<UInt64>? {
        isOpen.withLock { _ in
            if words[0] == 0, words[1] == 0 { return nil }
            let last = words[0] == ~words[1] ? words[0] : .max
            let first = words[2] == ~words[3] ? words[2] : 0
            return min(first, last)...last
        }
    }

    /// Lets another daemon have the file: ignores later notes.
    func close() { isOpen.withLock { $0 = false } }

    /// Replaces the note; nil for none.
    func note(_ numbers: ClosedRange<UInt64>?) {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            set(0, numbers?.upperBound)
            set(2, numbers?.lowerBound)
        }
    }

    private func set(_ index: Int, _ number: UInt64?) {
        words[index] = number ?? 0
        words[index + 1] = number.map { ~$0 } ?? 0
    }
}
