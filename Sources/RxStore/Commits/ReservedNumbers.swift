internal import Rx
internal import RxPlatform

/// A note beside the database of the greatest number that events of this daemon may have: while the disk is full, the
/// database cannot reserve more, and events go on. It survives a kill; after a power cut the log begins anew anyway.
// Unchecked: the lock of `isOpen` guards the words.
final class ReservedNumbers: @unchecked Sendable {
    static let words = NotedNumber.words

    private let number: NotedNumber
    /// Whether the file is ours.
    private let isOpen = Locked(true)

    /// - Parameter index: the word at which it begins.
    init(_ mapping: FileMapping, at index: Int) {
        number = NotedNumber(mapping, at: index)
    }

    /// The number; 0 without a note, and nil if it is torn.
    var last: UInt64? {
        isOpen.withLock { _ in
            switch number.content {
            case .none: 0
            case .number(let number): number
            case .torn: nil
            }
        }
    }

    /// Lets another daemon have the file: ignores later notes.
    func close() { isOpen.withLock { $0 = false } }

    /// Events may have numbers up to this one; 0 removes the note.
    func note(through last: UInt64) {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            number.set(last == 0 ? nil : last)
        }
    }
}
