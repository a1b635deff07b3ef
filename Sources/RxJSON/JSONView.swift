/// A place in the text last read: a value, looked at where it is.
///
/// Valid until the reader's next `read`, its end, or the end of the buffer it was given; it keeps neither alive. Looking is cheap: nothing is decoded
/// or copied before it is asked for, and passing over a value costs about a nanosecond per brace, comma and scalar.
public struct JSONView {
    @frozen
    public enum Kind: Sendable, Hashable {
        case object, array, string, number, bool, null
    }

    @usableFromInline let base: UnsafePointer<UInt8>
    /// Offsets of every brace, bracket, colon, comma and first byte of a scalar; then the length of the text.
    @usableFromInline let starts: UnsafePointer<UInt32>
    @usableFromInline let index: Int
    /// Whether the text has a backslash anywhere; without one, strings are what they look like.
    @usableFromInline let escapes: Bool

    @inlinable
    init(base: UnsafePointer<UInt8>, starts: UnsafePointer<UInt32>, index: Int, escapes: Bool) {
        self.base = base
        self.starts = starts
        self.index = index
        self.escapes = escapes
    }

    @inlinable
    public var kind: Kind {
        switch first {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        // Digits and the minus sign; the text is valid, so there is nothing else.
        case _: .number
        }
    }

    /// The bytes of the value as written, without white space around it. Valid as long as the view.
    @inlinable
    public var raw: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + start, count: end - start)
    }

    /// A copy of `raw` that stays.
    public var rawJSON: RawJSON {
        RawJSON(unchecked: Array(raw))
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

    /// The place after the value at `place`.
    @inlinable
    func after(_ place: Int) -> Int {
        var place = place
        var depth = 0
        repeat {
            // Setting this bit makes `[` into `{` and `]` into `}`, and nothing else that begins a value into either.
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

@inlinable
func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}
