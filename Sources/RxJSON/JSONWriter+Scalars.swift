extension JSONWriter {
    /// Writes a literal key. It must need no escapes, which debug builds check.
    public mutating func key(_ key: StaticString) {
        assert(!key.description.utf8.contains(where: needsEscape), "a key that needs escapes")
        quote(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount), colon: true)
        needsComma = false
    }

    /// Writes a key and escapes it as necessary.
    @_disfavoredOverload
    public mutating func key(_ key: String) {
        quoteEscaping(key, colon: true)
        needsComma = false
    }

    /// Writes a string and escapes it as necessary.
    public mutating func string(_ value: String) {
        quoteEscaping(value, colon: false)
        valueEnded()
    }

    /// Writes a string, without making a `String`.
    ///
    /// - Parameter text: the bytes of the string.
    /// - Returns: false if they are not all ASCII; then nothing is written.
    package mutating func string(ascii text: UnsafeRawBufferPointer) -> Bool {
        guard isASCII(text) else { return false }
        quoteEscaping(text, colon: false)
        valueEnded()
        return true
    }

    /// Writes an integer.
    public mutating func int(_ value: Int) {
        digits(UInt64(value.magnitude), negative: value < 0)
        valueEnded()
    }

    /// Writes an integer.
    public mutating func uint(_ value: UInt64) {
        digits(value, negative: false)
        valueEnded()
    }

    /// Writes `true` or `false`.
    @inlinable
    public mutating func bool(_ value: Bool) {
        separate()
        literal(value ? "true" : "false")
        valueEnded()
    }

    /// Writes `null`.
    @inlinable
    public mutating func null() {
        separate()
        literal("null")
        valueEnded()
    }

    /// Writes the shortest text that parses as the same double; null for infinities and NaN, which JSON cannot
    /// represent.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        bytes.append(contentsOf: value.description.utf8)
        valueEnded()
    }
}

extension JSONWriter {
    /// Shorter output is assembled first and appended once, because appending costs more than copying.
    private static let gathered = 64

    /// Writes a string or key, with a comma if needed. Copies runs without escapes, usually the whole text, at once.
    private mutating func quoteEscaping(_ text: String, colon: Bool) {
        var text = text
        text.withUTF8 { quoteEscaping(UnsafeRawBufferPointer($0), colon: colon) }
    }

    /// Writes the bytes of a string or key, with a comma if needed. Copies runs without escapes at once.
    private mutating func quoteEscaping(_ text: UnsafeRawBufferPointer, colon: Bool) {
        var begin = 0
        var end = firstEscape(in: text, from: 0)
        if end == text.count { return quote(text, colon: colon) }
        separate()
        bytes.append(UInt8(ascii: "\""))
        while true {
            append(UnsafeRawBufferPointer(rebasing: text[begin..<end]))
            if end == text.count { break }
            escape(text[end])
            begin = end + 1
            end = firstEscape(in: text, from: begin)
        }
        literal(colon ? "\":" : "\"")
    }

    /// Writes a string or key that needs no escapes, with a comma if needed.
    private mutating func quote(_ text: UnsafeRawBufferPointer, colon: Bool) {
        // A comma, two quotes and a colon.
        guard text.count <= Self.gathered - 4 else {
            separate()
            bytes.append(UInt8(ascii: "\""))
            append(text)
            return literal(colon ? "\":" : "\"")
        }
        withUnsafeTemporaryAllocation(byteCount: Self.gathered, alignment: 1) { buffer in
            var count = 0
            func put(_ byte: UInt8) {
                buffer[count] = byte
                count += 1
            }
            if needsComma { put(UInt8(ascii: ",")) }
            put(UInt8(ascii: "\""))
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: text)
            count += text.count
            put(UInt8(ascii: "\""))
            if colon { put(UInt8(ascii: ":")) }
            append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Writes an integer, with a comma if needed.
    private mutating func digits(_ value: UInt64, negative: Bool) {
        // A comma, a sign and the 20 digits of UInt64.max.
        withUnsafeTemporaryAllocation(byteCount: 22, alignment: 1) { buffer in
            var begin = 22
            func put(_ byte: UInt8) {
                begin -= 1
                buffer[begin] = byte
            }
            var left = value
            repeat {
                put(UInt8(truncatingIfNeeded: left % 10) + 0x30)
                left /= 10
            } while left > 0
            if negative { put(UInt8(ascii: "-")) }
            if needsComma { put(UInt8(ascii: ",")) }
            append(UnsafeRawBufferPointer(rebasing: buffer[begin...]))
        }
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): literal("\\\"")
        case UInt8(ascii: "\\"): literal("\\\\")
        case 0x0A: literal("\\n")
        case 0x0D: literal("\\r")
        case 0x09: literal("\\t")
        case 0x08: literal("\\b")
        case 0x0C: literal("\\f")
        case _:
            literal("\\u00")
            bytes.append(hexadecimal(byte >> 4))
            bytes.append(hexadecimal(byte & 0xF))
        }
    }

    private func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? digit + 0x30 : digit + 0x57
    }
}

/// The offset of the first byte from `begin` on that must be escaped; the end if there is none.
private func firstEscape(in text: UnsafeRawBufferPointer, from begin: Int) -> Int {
    var offset = begin
    while offset + 8 <= text.count, !hasEscape(text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) {
        offset += 8
    }
    while offset < text.count, !needsEscape(text[offset]) { offset += 1 }
    return offset
}

private func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset + 8 <= text.count {
        guard text.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else {
            return false
        }
        offset += 8
    }
    return text[offset...].allSatisfy { $0 < 0x80 }
}

private func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}

/// Whether `needsEscape` holds for any of eight bytes. The exclusive or turns each searched byte into 0, and the
/// subtraction borrows into the top bit of every byte that is smaller than the subtrahend.
private func hasEscape(_ eight: UInt64) -> Bool {
    let each: UInt64 = 0x0101_0101_0101_0101
    let quotes = eight ^ (each * UInt64(UInt8(ascii: "\"")))
    let backslashes = eight ^ (each * UInt64(UInt8(ascii: "\\")))
    let controls = (eight &- each * 0x20) & ~eight
    return (controls | (quotes &- each) & ~quotes | (backslashes &- each) & ~backslashes) & (each * 0x80) != 0
}
