package import RxJSON

/// The secret key of the hashes by which the store recognizes an input. Without it, an input cannot be guessed from its
/// hash, however short it is.
///
/// The hash is SipHash-2-4. A salted hash begins with "s"; a hash from a version without salts does not.
public struct InputSalt: Sendable, Equatable {
    private let low: UInt64
    private let high: UInt64

    /// The salt of 128 random bits.
    package init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Reads `text`; nil if that is none.
    package init?(text: some StringProtocol) {
        let parts = text.split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard parts.count == 2 else { return nil }
        self.init(low: parts[0], high: parts[1])
    }

    /// The salt as the store keeps it.
    package var text: String { "\(String(low, radix: 16))-\(String(high, radix: 16))" }

    /// The salted hash of an input, whatever its white space is.
    package func hash(_ input: RawJSON) -> String { "s" + String(sipHash(input.minified().utf8), radix: 16) }

    /// Whether `hash` is that of `input`.
    ///
    /// - Parameter salted: the salted hash of the input.
    package static func matches(_ hash: String, _ input: RawJSON, salted: String) -> Bool {
        hash == salted || !hash.hasPrefix("s") && hash == unsalted(input)
    }

    /// FNV-1a, which earlier versions stored.
    static func unsalted(_ input: RawJSON) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in input.minified().utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }

    /// SipHash-2-4 by Aumasson and Bernstein.
    func sipHash(_ bytes: [UInt8]) -> UInt64 {
        var state = SipState(low, high)
        var word: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            word |= UInt64(byte) << UInt64(index % 8 * 8)
            if index % 8 == 7 {
                state.add(word)
                word = 0
            }
        }
        state.add(word | UInt64(truncatingIfNeeded: bytes.count) << 56)
        return state.finish()
    }
}

private struct SipState {
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64

    init(_ low: UInt64, _ high: UInt64) {
        a = low ^ 0x736F_6D65_7073_6575
        b = high ^ 0x646F_7261_6E64_6F6D
        c = low ^ 0x6C79_6765_6E65_7261
        d = high ^ 0x7465_6462_7974_6573
    }

    mutating func add(_ word: UInt64) {
        d ^= word
        round()
        round()
        a ^= word
    }

    mutating func finish() -> UInt64 {
        c ^= 0xFF
        for _ in 0..<4 { round() }
        return a ^ b ^ c ^ d
    }

    private mutating func round() {
        a &+= b
        b = b << 13 | b >> 51
        b ^= a
        a = a << 32 | a >> 32
        c &+= d
        d = d << 16 | d >> 48
        d ^= c
        a &+= d
        d = d << 21 | d >> 43
        d ^= a
        c &+= b
        b = b << 17 | b >> 47
        b ^= c
        c = c << 32 | c >> 32
    }
}
