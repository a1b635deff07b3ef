/// Decodes the contents of a valid JSON string, given without its quotes.
func unescaped(_ contents: UnsafeRawBufferPointer) -> String {
    // The decoded form is never longer than the escape.
    String(unsafeUninitializedCapacity: contents.count) { buffer in
        var read = 0
        var written = 0
        while read < contents.count {
            let byte = contents[read]
            if byte != UInt8(ascii: "\\") {
                buffer[written] = byte
                read += 1
                written += 1
                continue
            }
            let letter = contents[read + 1]
            read += 2
            guard letter == UInt8(ascii: "u") else {
                buffer[written] = character(ofEscape: letter)
                written += 1
                continue
            }
            var code = codeUnit(contents, read)
            read += 4
            if UTF16.isLeadSurrogate(code) {
                // The text is valid, so the second half follows as `\uXXXX`.
                let low = codeUnit(contents, read + 2)
                read += 6
                let scalar = 0x10000 + (UInt32(code) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
                buffer[written] = UInt8(0xF0 | scalar >> 18)
                buffer[written + 1] = UInt8(0x80 | scalar >> 12 & 0x3F)
                buffer[written + 2] = UInt8(0x80 | scalar >> 6 & 0x3F)
                buffer[written + 3] = UInt8(0x80 | scalar & 0x3F)
                written += 4
            } else if code < 0x80 {
                buffer[written] = UInt8(code)
                written += 1
            } else if code < 0x800 {
                buffer[written] = UInt8(0xC0 | code >> 6)
                buffer[written + 1] = UInt8(0x80 | code & 0x3F)
                written += 2
            } else {
                buffer[written] = UInt8(0xE0 | code >> 12)
                buffer[written + 1] = UInt8(0x80 | code >> 6 & 0x3F)
                code &= 0x3F
                buffer[written + 2] = UInt8(0x80 | code)
                written += 3
            }
        }
        return written
    }
}

/// The offset of the first escaped surrogate without a partner, in an otherwise valid text.
func loneSurrogate(in text: UnsafeRawBufferPointer) -> Int? {
    var offset = 0
    while offset < text.count {
        guard text[offset] == UInt8(ascii: "\\") else {
            offset += 1
            continue
        }
        guard text[offset + 1] == UInt8(ascii: "u") else {
            offset += 2
            continue
        }
        let code = codeUnit(text, offset + 2)
        if UTF16.isTrailSurrogate(code) { return offset }
        if UTF16.isLeadSurrogate(code) {
            guard text[offset + 6] == UInt8(ascii: "\\"), text[offset + 7] == UInt8(ascii: "u"),
                UTF16.isTrailSurrogate(codeUnit(text, offset + 8))
            else { return offset }
            offset += 6
        }
        offset += 6
    }
    return nil
}

/// The value of one hexadecimal digit.
func digit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte) - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte) - 0x57
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte) - 0x37
    case _: nil
    }
}

/// The value of the four digits at `offset`.
private func codeUnit(_ text: UnsafeRawBufferPointer, _ offset: Int) -> UInt16 {
    text[offset..<offset + 4].reduce(0) { $0 << 4 | (digit($1) ?? 0) }
}

private func character(ofEscape letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    // A quote, a slash or a backslash.
    case _: letter
    }
}
