/// A note that a database was closed with everything on the disk, as words: the sequence number of the mark at that
/// moment, the size of the file, and a checksum.
///
/// It is valid while the mark is the same: any later mark, also one of an earlier version of this program, ends it.
struct CleanEnd: Equatable {
    static let words = 3

    /// The number of the mark.
    let sequence: UInt64
    /// The bytes of the database; 0 if it is to be checked: it is not known to be whole, or its log has a part of it.
    let size: UInt64

    init(sequence: UInt64, size: UInt64) {
        self.sequence = sequence
        self.size = size
    }

    /// Nil if there is no note, or other bytes were written over it.
    init?(_ words: some Collection<UInt64>) {
        let words = Array(words)
        guard words[2] == MarkSlot.checksum(of: words.dropLast()) else { return nil }
        (sequence, size) = (words[0], words[1])
    }

    /// The words of the note.
    var encoded: [UInt64] {
        let words = [sequence, size]
        return words + [MarkSlot.checksum(of: words)]
    }
}
