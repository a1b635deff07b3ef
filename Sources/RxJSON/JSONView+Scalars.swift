#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

extension JSONView {
    /// The characters of a string with escapes decoded; nil if this is not a string.
    public var string: String? {
        guard first == UInt8(ascii: "\"") else { return nil }
        let contents = UnsafeRawBufferPointer(start: base + start + 1, count: end - start - 2)
        return escapes ? unescaped(contents) : String(decoding: contents, as: UTF8.self)
    }

    /// The number if it is exactly an `Int`, in any notation (`2`, `2.0`, `2e0`); otherwise nil.
    public var int: Int? {
        guard kind == .number else { return nil }
        return JSONNumber.int(raw)
    }

    /// The double nearest to the number; nil if this is not a number.
    public var double: Double? {
        guard kind == .number else { return nil }
        return Double(String(decoding: raw, as: UTF8.self))
    }

    /// The boolean, or nil if this is not one.
    public var bool: Bool? {
        switch first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        case _: nil
        }
    }

    /// Whether this is null.
    @inlinable
    public var isNull: Bool { first == UInt8(ascii: "n") }

    /// The first byte of a string as written; its closing quote if the string is empty.
    @inlinable
    public var initial: UInt8 { base[start + 1] }

    /// Whether this is a string that equals `text` byte for byte after decoding escapes.
    @inlinable
    @inline(__always)
    public func equals(_ text: StaticString) -> Bool {
        guard first == UInt8(ascii: "\"") else { return false }
        return escapes ? equalsDecoded(text) : equalsRaw(text)
    }

    /// Compares the string as written, in at most two words unless it is long: for a literal, each is a constant.
    @inlinable
    @inline(__always)
    func equalsRaw(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        let begin = start + 1
        // A position inside the string never passes its closing quote, so this reads no byte outside the text.
        guard begin + count < Int(starts[index + 1]), base[begin + count] == UInt8(ascii: "\"") else { return false }
        let own = UnsafeRawPointer(base + begin)
        let wanted = UnsafeRawPointer(text.utf8Start)
        switch count {
        case 2...3: return sameEnds(own, wanted, count, UInt16.self)
        case 4...7: return sameEnds(own, wanted, count, UInt32.self)
        case 8...16: return sameEnds(own, wanted, count, UInt64.self)
        case _: return sameBytes(own, wanted, count)
        }
    }

    /// Whether the first and the last word of both are the same; they overlap, so these are all of their bytes.
    @inlinable
    @inline(__always)
    func sameEnds<Word: FixedWidthInteger & BitwiseCopyable>(
        _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int, _: Word.Type
    ) -> Bool {
        let last = count - MemoryLayout<Word>.size
        return one.loadUnaligned(as: Word.self) == other.loadUnaligned(as: Word.self)
            && one.loadUnaligned(fromByteOffset: last, as: Word.self)
                == other.loadUnaligned(fromByteOffset: last, as: Word.self)
    }

    @usableFromInline
    func sameBytes(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int) -> Bool {
        memcmp(one, other, count) == 0
    }

    /// Compares a string of a text with escapes. A backslash in `text` starts an escape and never represents itself.
    @usableFromInline
    func equalsDecoded(_ text: StaticString) -> Bool {
        let hasBackslash = text.withUTF8Buffer { $0.contains(UInt8(ascii: "\\")) }
        return !hasBackslash && equalsRaw(text) || equals(text.description)
    }

    /// Whether this is a string that equals the UTF-8 bytes `text` after decoding escapes.
    public func equals(utf8 text: [UInt8]) -> Bool {
        guard first == UInt8(ascii: "\"") else { return false }
        guard !escapes else { return string.map { text.elementsEqual($0.utf8) } ?? false }
        let begin = start + 1
        guard begin + text.count < Int(starts[index + 1]), base[begin + text.count] == UInt8(ascii: "\"") else {
            return false
        }
        return text.withUnsafeBytes { text in
            text.baseAddress.map { memcmp(base + begin, $0, text.count) == 0 } ?? true
        }
    }

    /// Whether this is a string that equals `text` byte for byte after decoding escapes. For text that is not a
    /// literal.
    @_disfavoredOverload
    public func equals(_ text: String) -> Bool {
        guard let string else { return false }
        return Characters(of: string) == Characters(of: text)
    }

    /// Returns the value as a tree.
    public func value() -> JSONValue {
        var place = index
        return tree(&place)
    }

    /// Builds the tree of the value at `place` and advances `place` past it, so one pass builds everything.
    private func tree(_ place: inout Int) -> JSONValue {
        let view = at(place)
        switch view.kind {
        case .object:
            var object = JSONObject()
            place += 1
            while byte(place) != UInt8(ascii: "}") {
                let key = at(place).string ?? ""
                place += 2
                object[key] = tree(&place)
                if byte(place) == UInt8(ascii: ",") { place += 1 }
            }
            place += 1
            return .object(object)
        case .array:
            var array: [JSONValue] = []
            place += 1
            while byte(place) != UInt8(ascii: "]") {
                array.append(tree(&place))
                if byte(place) == UInt8(ascii: ",") { place += 1 }
            }
            place += 1
            return .array(array)
        case .string, .number, .bool, .null:
            place += 1
            return view.scalar
        }
    }

    private var scalar: JSONValue {
        switch first {
        case UInt8(ascii: "\""): .string(string ?? "")
        case UInt8(ascii: "t"): .bool(true)
        case UInt8(ascii: "f"): .bool(false)
        case UInt8(ascii: "n"): .null
        case _: .number(JSONNumber(unchecked: String(decoding: raw, as: UTF8.self)))
        }
    }
}

extension JSONView {
    /// Returns up to `limit` out-of-range numbers in this value, whose text was accepted despite them. Paths are
    /// relative to this value.
    public func numbersOutOfRange(reporting limit: Int) -> [(path: JSONPointer, message: String)] {
        let faults = try? JSONSyntaxScan.numbersOutOfRange(
            in: raw, depth: JSONLimits.greatestDepth, reporting: limit)
        return (faults ?? []).compactMap { fault in
            guard case .number(let path) = fault.kind else { return nil }
            return (path, fault.message)
        }
    }
}
