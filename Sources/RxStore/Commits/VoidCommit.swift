internal import RxPlatform

/// A note beside a database that the transaction after the mark was reported as failed, although the log may have it: a
/// sync failed, and then no other transaction could be written in its place.
///
/// It concerns the transaction that follows the mark alone, and is removed before the next one is attempted, or when
/// the next start has taken the transaction back.
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

    /// The number in the note; nil without one, or if it is torn.
    var noted: UInt64? {
        guard case .number(let noted) = number.content else { return nil }
        return noted
    }

    /// Removes the note.
    func clear() { number.set(nil) }

    /// Notes the number.
    func note(_ number: UInt64) { self.number.set(number) }
}
