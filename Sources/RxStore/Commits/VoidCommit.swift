internal import RxPlatform

/// A note beside a database that the transaction after the mark was reported as failed, although the log may have it: a
/// sync failed, and then no other transaction could be written in its place.
///
/// The file has the number and its complement, or two zeros for no note. It concerns the transaction that follows the
/// mark alone, so any later commit ends it.
// Unchecked: used from one queue.
final class VoidCommit: @unchecked Sendable {
    static let words = 2

    /// Keeps the memory.
    private let mapping: FileMapping
    private let words: UnsafeMutableBufferPointer<UInt64>

    /// - Parameter index: the word at which it begins.
    init(_ mapping: FileMapping, at index: Int) {
        self.mapping = mapping
        words = UnsafeMutableBufferPointer(
            rebasing: mapping.bytes.bindMemory(to: UInt64.self)[index..<(index + Self.words)])
    }

    /// Whether the transaction with this number was reported as failed. True as well if other bytes were written over
    /// the note: then nobody knows.
    func contains(_ number: UInt64) -> Bool {
        guard words[0] != 0 || words[1] != 0 else { return false }
        return words[0] == number || words[0] != ~words[1]
    }

    /// Removes the note.
    func clear() { (words[0], words[1]) = (0, 0) }

    /// Notes the number.
    func note(_ number: UInt64) {
        words[0] = number
        words[1] = ~number
    }
}
