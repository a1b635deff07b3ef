/// A source of random numbers.
public struct Entropy: Sendable {
    private let source: @Sendable () -> UInt64

    /// A source of what `next` returns, which should be uniform over all 64 bits.
    public init(_ next: @escaping @Sendable () -> UInt64) { source = next }

    /// The kernel's random numbers.
    public static let system = Entropy { .random(in: .min ... .max) }

    /// 64 random bits.
    public func next() -> UInt64 { source() }
}
