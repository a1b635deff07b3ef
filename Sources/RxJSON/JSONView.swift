/// A value in the text that a reader has just validated, accessed in place.
///
/// Valid until the reader's next `read`, the end of the reader, or the end of the buffer; retains neither. Access is
/// cheap: nothing is decoded or copied in advance, and skipping a value costs about a nanosecond per brace, comma, and
/// scalar.
public struct JSONView {
    /// The type of a value.
    @frozen
    public enum Kind: Sendable, Hashable {
        /// The six types of JSON.
        case object, array, string, number, bool, null
    }

    @usableFromInline let base: UnsafePointer<UInt8>
    /// The offsets of every brace, bracket, colon, comma, and first byte of a scalar, followed by the length of the
    /// text.
    @usableFromInline let starts: UnsafePointer<UInt32>
    @usableFromInline let index: Int
    /// Whether the text contains a backslash. If not, strings need no decoding.
    @usableFromInline let escapes: Bool

    @inlinable
    init(base: UnsafePointer<UInt8>, starts: UnsafePointer<UInt32>, index: Int, escapes: Bool) {
        self.base = base
        self.starts = starts
        self.index = index
        self.escapes = escapes
    }

    /// The type of the value.
    @inlinable
    public var kind: Kind {
        switch first {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        // A digit or a minus sign; the text is valid, so nothing else is possible.
        case _: .number
        }
    }

    /// The bytes of the value as written, without surrounding white space. Valid as long as the view.
    @inlinable
    public var raw: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + start, count: end - start)
    }

    @inlinable
    var start: Int { Int(starts[index]) }

    @inlinable
    var first: UInt8 { base[start] }

    @inlinable
    func at(_ place: Int) -> JSONView {
        JSONView(base: base, starts: starts, index: place, escapes: escapes)
    }

    @inlinable
    func byte(_ place: Int) -> UInt8 { base[Int(starts[place])] }

    /// The position after the value at `place`.
    @inlinable
    func after(_ place: Int) -> Int {
        var place = place
        var depth = 0
        repeat {
            // Setting this bit turns `[` into `{` and `]` into `}`, and no other initial byte of a value into either.
            switch byte(place) | 0x20 {
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            case _: break
            }
            place += 1
        } while depth > 0
        return place
    }

    /// The offset just after the value.
    @inlinable
    var end: Int {
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return Int(starts[after(index) - 1]) + 1
        case _:
            var end = Int(starts[index + 1])
            while isWhiteSpace(base[end - 1]) { end -= 1 }
            return end
        }
    }
}
