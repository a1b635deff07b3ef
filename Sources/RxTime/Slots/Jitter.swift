/// A delay of all slots of a stream, so that many machines with the same configuration do not start at once. It depends
/// on the machine and the stream alone, and is thus the same after each start.
public struct Jitter: Hashable, Sendable {
    /// The delay in microseconds: from 0 to below the bound.
    public let offset: Int64

    /// The delay below `bound` microseconds for a machine, by its machine ID, and the name of a stream. A bound of 0
    /// means none.
    public init(below bound: Int64, machine: String, stream: String) {
        let hash = Self.hash(machine.utf8, stream.utf8)
        offset = bound > 0 ? Int64(hash.multipliedFullWidth(by: UInt64(bound)).high) : 0
    }

    /// FNV-1a over both texts, each with its end, and the finalizer of SplitMix64, which spreads the result over all
    /// bits. It must not change from release to release, as Swift's own hash does from start to start.
    private static func hash(_ texts: String.UTF8View...) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for text in texts {
            for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
        return hash ^ hash >> 31
    }
}
