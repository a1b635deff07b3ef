/// The identity of one execution: a UUID of version 7. Its text sorts by creation time.
///
/// An `ExecutionIDGenerator` makes ids that increase strictly.
public struct ExecutionID: Hashable, Sendable {
    /// 48 bits of milliseconds since 1970, the version, and a 12-bit counter within the millisecond.
    private let time: UInt64
    /// The variant and 62 bits that distinguish processes.
    private let noise: UInt64

    /// Creates an id greater than every id that this process has created in this way.
    public init() { self = ExecutionIDGenerator.shared.next() }

    /// - Parameters:
    ///   - stamp: milliseconds since 1970 times 4096, plus a counter.
    ///   - noise: the upper 62 bits count.
    init(stamp: UInt64, noise: UInt64) {
        // 52 bits of time and count around the 4 bits of the version.
        time = (stamp >> 12) << 16 | 0x7000 | stamp & 0xFFF
        self.noise = 0b10 << 62 | noise >> 2
    }

    /// The id whose two halves these are.
    package init(high: UInt64, low: UInt64) { (time, noise) = (high, low) }

    /// Its first and its last 64 bits.
    package var halves: (high: UInt64, low: UInt64) { (time, noise) }

    /// The approximate creation time in milliseconds since 1970. Runs ahead of the clock if more than 4096 ids are
    /// created per millisecond.
    public var milliseconds: Int64 { Int64(time >> 16) }

    /// Parses the text of a UUID: 36 characters, in either case. Returns nil for any other text.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let id = text.withUTF8({ ExecutionID(utf8: $0) }) else { return nil }
        self = id
    }

    /// Parses the text of a UUID, as bytes.
    public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        guard text.count == ExecutionID.textLength else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (position, byte) in text.enumerated() {
            if ExecutionID.isDash(at: position) {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = ExecutionID.value(ofHexDigit: byte) else { return nil }
            if digits < 16 { words.0 = words.0 << 4 | digit } else { words.1 = words.1 << 4 | digit }
            digits += 1
        }
        (time, noise) = words
    }

    /// The number of bytes that `write(into:)` writes.
    public static let textLength = 36

    /// Writes the text as `textLength` lowercase ASCII bytes, without a terminating zero.
    public func write(into buffer: UnsafeMutablePointer<UInt8>) {
        let bytes = UnsafeMutableRawPointer(buffer)
        // Groups of 8, 4, 4, 4, and 12 digits, with dashes between them.
        let (first, second, third, last) = (
            ExecutionID.digits(UInt32(truncatingIfNeeded: time >> 32)),
            ExecutionID.digits(UInt32(truncatingIfNeeded: time)),
            ExecutionID.digits(UInt32(truncatingIfNeeded: noise >> 32)),
            ExecutionID.digits(UInt32(truncatingIfNeeded: noise))
        )
        bytes.storeBytes(of: first, toByteOffset: 0, as: UInt64.self)
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: second), toByteOffset: 9, as: UInt32.self)
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32), toByteOffset: 14, as: UInt32.self)
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: third), toByteOffset: 19, as: UInt32.self)
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32), toByteOffset: 24, as: UInt32.self)
        bytes.storeBytes(of: last, toByteOffset: 28, as: UInt64.self)
        buffer[8] = UInt8(ascii: "-")
        buffer[13] = UInt8(ascii: "-")
        buffer[18] = UInt8(ascii: "-")
        buffer[23] = UInt8(ascii: "-")
    }

    /// The eight hexadecimal digits of a number, one per byte, the first in the lowest byte. Computed in parallel.
    private static func digits(_ number: UInt32) -> UInt64 {
        // Each step moves the halves of a group apart.
        var nibbles = UInt64(number)
        nibbles = (nibbles << 16 | nibbles) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles << 8 | nibbles) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles << 4 | nibbles) & 0x0F0F_0F0F_0F0F_0F0F
        // Adding six carries digits of ten and above into the upper half; "a" is 0x27 above the character after "9".
        let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let text = nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
        return text.byteSwapped.littleEndian
    }

    /// Appends the text as `textLength` lowercase ASCII bytes.
    public func append(to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ExecutionID.textLength) { buffer in
            // The requested capacity is not zero, so there is a base address.
            write(into: buffer.baseAddress!)
            bytes.append(contentsOf: buffer)
        }
    }

    private static func isDash(at position: Int) -> Bool {
        position == 8 || position == 13 || position == 18 || position == 23
    }

    private static func value(ofHexDigit byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

extension ExecutionID: Comparable {
    /// Orders ids as their texts sort: by creation time first.
    public static func < (left: ExecutionID, right: ExecutionID) -> Bool {
        (left.time, left.noise) < (right.time, right.noise)
    }
}

extension ExecutionID: CustomStringConvertible {
    /// The text of the UUID in lowercase.
    public var description: String {
        String(unsafeUninitializedCapacity: ExecutionID.textLength) { buffer in
            // The requested capacity is not zero, so there is a base address.
            write(into: buffer.baseAddress!)
            return ExecutionID.textLength
        }
    }
}
