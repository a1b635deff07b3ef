internal import Rx
internal import RxPlatform

/// A note beside the database that events with some numbers may not be in it, although readers may have them. It needs
/// no room on a full disk and no disk that answers, and survives a kill. After a power cut the log begins anew anyway.
///
/// The file has the last number, then the first one, of which earlier versions do not know.
// Unchecked: the lock of `isOpen` guards the words.
final class MissingEvents: @unchecked Sendable {
    static let words = 2 * NotedNumber.words

    private let last: NotedNumber
    private let first: NotedNumber
    /// Whether the file is ours.
    private let isOpen = Locked(true)

    /// - Parameter index: the word at which it begins.
    init(_ mapping: FileMapping, at index: Int) {
        last = NotedNumber(mapping, at: index)
        first = NotedNumber(mapping, at: index + NotedNumber.words)
    }

    /// The numbers in the file; nil without a note. One that is torn is the greatest, or the least.
    var numbers: ClosedRange<UInt64>? {
        isOpen.withLock { _ in
            guard isUsed else { return nil }
            let end: UInt64
            switch last.content {
            case .none: return nil
            case .number(let number): end = number
            case .torn: end = .max
            }
            guard case .number(let begin) = first.content else { return 0...end }
            return min(begin, end)...end
        }
    }

    /// Whether `numbers` may have more than was noted: a kill came between two words, or something else was written
    /// there.
    var isTorn: Bool {
        isOpen.withLock { _ in isUsed && (last.isTorn || first.isTorn) }
    }

    /// Whether the file has a note, whole or torn. A word alone is none: a kill came at the beginning of a note, whose
    /// events no reader has yet, or at the end of its removal, or a bit was flipped where nothing was noted.
    private var isUsed: Bool { last.wordsUsed + first.wordsUsed > 1 }

    /// Lets another daemon have the file: ignores later notes.
    func close() { isOpen.withLock { $0 = false } }

    /// Replaces the note; nil for none.
    func note(_ numbers: ClosedRange<UInt64>?) {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            last.set(numbers?.upperBound)
            first.set(numbers?.lowerBound)
        }
    }
}
