internal import RxPlatform

/// A mark as words: its sequence number, the boot's ID, `committed`, `synced`, and a checksum. The checksum of a slot
/// that is being written, or was never written, is 0.
enum MarkSlot: Equatable {
    case empty
    case whole(sequence: UInt64, CommitMark)
    /// Other bytes were written over it.
    case damaged

    static let words = 6

    init(_ words: some Collection<UInt64>) {
        let words = Array(words)
        let checksum = words[Self.words - 1]
        if checksum == 0 {
            self = .empty
        } else if checksum == Self.checksum(of: words.dropLast()) {
            let boot = BootID(high: words[1], low: words[2])
            self = .whole(sequence: words[0], CommitMark(boot: boot, committed: words[3], synced: words[4]))
        } else {
            self = .damaged
        }
    }

    /// The words of a slot.
    static func words(sequence: UInt64, _ mark: CommitMark) -> [UInt64] {
        let words = [sequence, mark.boot.high, mark.boot.low, mark.committed, mark.synced]
        return words + [checksum(of: words)]
    }

    /// FNV-1a over the bytes of the words; never 0.
    static func checksum(of words: some Sequence<UInt64>) -> UInt64 {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325
        for word in words {
            for shift in stride(from: 0, to: 64, by: 8) {
                sum = (sum ^ (word >> UInt64(shift) & 0xFF)) &* 0x100_0000_01b3
            }
        }
        return max(sum, 1)
    }
}
