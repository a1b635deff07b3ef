/// The identity of a boot of the machine. Within one boot, everything that was written to a file can be read again; a
/// new boot may lack what was not synced.
public struct BootID: Sendable, Hashable {
    /// The boot of a machine that does not identify it. Two of these may be two boots.
    public static let unknown = BootID(high: 0, low: 0)

    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// The identity of these sixteen bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads a UUID, whose dashes may be missing; nil if `text` is none.
    public init?(_ text: some StringProtocol) {
        let digits = String(text.filter { $0 != "-" })
        guard digits.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
            let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }
}
