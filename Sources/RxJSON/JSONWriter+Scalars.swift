extension JSONWriter {
    /// A string in quotes. Runs that need no escapes, which is nearly always the whole string, are copied at once.
    mutating func quote(_ text: String) {
        var text = text
        text.withUTF8 { text in
            bytes.append(UInt8(ascii: "\""))
            var begin = 0
            for (offset, byte) in text.enumerated() where needsEscape(byte) {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[begin..<offset]))
                escape(byte)
                begin = offset + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[begin...]))
            bytes.append(UInt8(ascii: "\""))
        }
    }

    mutating func digits(_ value: UInt64) {
        // 20 digits are UInt64.max.
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { buffer in
            var begin = 20
            var left = value
            repeat {
                begin -= 1
                buffer[begin] = UInt8(truncatingIfNeeded: left % 10) + 0x30
                left /= 10
            } while left > 0
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[begin...]))
        }
    }

    private func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
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
