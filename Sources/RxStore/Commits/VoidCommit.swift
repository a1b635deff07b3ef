internal import RxPlatform

/// A note beside a database that the transaction after the mark was reported as failed, although the log may have it: a
/// sync failed, and then no other transaction could be written in its place.
///
/// It concerns the transaction that follows the mark alone, and is removed before the next one is attempted.
// Unchecked: used from one queue.
final class VoidCommit: @unchecked Sendable {
    static let words = NotedNumber.words

    private let number: NotedNumber

    /// - Parameter index: the word at which it begins.
    init(_ mapping: FileMapping, at index: Int) {
        number = NotedNumber(mapping, at: index)
    }

    /// Whether the transaction with this number was reported as failed. True as well if the note is torn: then nobody
    /// knows.
    func contains(_ number: UInt64) -> Bool {
        switch self.number.content {
        case .none: false
        case .number(let noted): noted == number
        case .torn: true
        }
    }

    /// Removes the note.
    func clear() { number.set(nil) }

    /// Notes the number.
    func note(_ number: UInt64) { self.number.set(number) }
}
