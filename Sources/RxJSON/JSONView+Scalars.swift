#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

extension JSONView {
    /// The characters of a string, escapes resolved; nil if it is not a string.
    public var string: String? {
        guard first == UInt8(ascii: "\"") else { return nil }
        let contents = UnsafeRawBufferPointer(start: base + start + 1, count: end - start - 2)
        return escapes ? unescaped(contents) : String(decoding: contents, as: UTF8.self)
    }

    /// A number that is exactly an `Int`, however written (`2`, `2.0`, `2e0`); else nil.
    public var int: Int? {
        guard kind == .number else { return nil }
        return JSONNumber.int(raw)
    }

    /// The double nearest to the number; nil if it is not a number.
    public var double: Double? {
        guard kind == .number else { return nil }
        return Double(String(decoding: raw, as: UTF8.self))
    }

    public var bool: Bool? {
        switch first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        case _: nil
        }
    }

    @inlinable
    public var isNull: Bool { first == UInt8(ascii: "n") }

    /// The first byte of a string as written, its closing quote if it is empty.
    @inlinable
    public var initial: UInt8 { base[start + 1] }

    /// Whether this is a string of exactly these characters, byte for byte once escapes are resolved.
    public func equals(_ text: StaticString) -> Bool {
        if isWritten(as: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) { return true }
        return escapes && first == UInt8(ascii: "\"") && equals(text.description)
    }

    /// As above, for bytes that are kept.
    public func equals(utf8 text: [UInt8]) -> Bool {
        if text.withUnsafeBytes({ isWritten(as: $0) }) { return true }
        return escapes && (string.map { text.elementsEqual($0.utf8) } ?? false)
    }

    /// Whether these are the bytes between the quotes and mean themselves.
    @inline(__always)
    private func isWritten(as text: UnsafeRawBufferPointer) -> Bool {
        let begin = start
        let count = text.count
        // A place after a string is never before its closing quote, so no byte outside the text is looked at.
        guard base[begin] == UInt8(ascii: "\""), begin + 1 + count < Int(starts[index + 1]),
            base[begin + 1 + count] == UInt8(ascii: "\""), let wanted = text.baseAddress
        else { return false }
        // A backslash, even if it is wanted, is never itself here.
        return memcmp(base + begin + 1, wanted, count) == 0 && !(escapes && text.contains(UInt8(ascii: "\\")))
    }

    /// As above, for characters that are not known before.
    @_disfavoredOverload
    public func equals(_ text: String) -> Bool {
        guard let string else { return false }
        return Characters(of: string) == Characters(of: text)
    }

    /// The whole value as a tree.
    public func value() -> JSONValue {
        var place = index
        return tree(&place)
    }

    /// The value at `place`, which is moved behind it, so that a tree is built in one pass.
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
    /// The numbers in this value that are out of range, at most `limit` of them, in a text that was read in spite of
    /// them; paths are relative to this value.
    public func numbersOutOfRange(reporting limit: Int) -> [(path: JSONPointer, message: String)] {
        let faults = try? JSONSyntaxScan.numbersOutOfRange(
            in: raw, depth: JSONLimits.greatestDepth, reporting: limit)
        return (faults ?? []).compactMap { fault in
            guard case .number(let path) = fault.kind else { return nil }
            return (path, fault.message)
        }
    }
}
