/// Writes numbers in as few bytes as they need: seven bits in each byte, the lowest first; the eighth bit is set in all
/// but the last byte.
package enum PackedWriter {
    package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The bytes of a number.
    package static func size(_ number: UInt64) -> Int { max((UInt64.bitWidth - number.leadingZeroBitCount + 6) / 7, 1) }

    /// The most bytes of a number.
    package static let mostBytes = 10

    /// Writes a number at `end`, which moves behind it.
    static func write(_ number: UInt64, to end: inout UnsafeMutableRawPointer) {
        var rest = number
        while rest >= 0x80 {
            end.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            end += 1
            rest >>= 7
        }
        end.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        end += 1
    }
}

/// Reads what `PackedWriter` has written. Each method returns nil at the end, and for bytes that it has not written.
package struct PackedReader {
    /// What was not read.
    package private(set) var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func next() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    /// A number, and so many bytes.
    package mutating func bytes() -> ArraySlice<UInt8>? {
        guard let count = next(), count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
