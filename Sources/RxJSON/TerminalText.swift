extension RawJSON {
    /// The compact text.
    ///
    /// - Parameter forTerminal: whether DEL and the C1 control characters (U+007F to U+009F) are escaped, as JSON
    ///   requires only of those below U+0020. A terminal obeys them: U+009B begins a control sequence.
    package func line(forTerminal: Bool) -> [UInt8] {
        let bytes = Array(minified().utf8)
        guard forTerminal, RawJSON.hasControls(bytes) else { return bytes }
        return RawJSON.escapingControls(bytes)
    }

    private static func hasControls(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0] == 0x7F || isC1(bytes, at: $0) }
    }

    /// Outside its strings, JSON has no such characters.
    private static func escapingControls(_ bytes: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count + 64)
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x7F {
                escaped += "\\u007f".utf8
            } else if isC1(bytes, at: index) {
                index += 1
                escaped += "\\u00\(String(bytes[index], radix: 16))".utf8
            } else {
                escaped.append(bytes[index])
            }
            index += 1
        }
        return escaped
    }

    /// Whether the two bytes at `index` encode U+0080 to U+009F. The first one always begins a character.
    private static func isC1(_ bytes: [UInt8], at index: Int) -> Bool {
        bytes[index] == 0xC2 && index + 1 < bytes.count && bytes[index + 1] < 0xA0
    }
}

extension String {
    /// The text with U+FFFD in the place of control characters, except tabs and line ends: what a program has written
    /// must not control the reader's terminal.
    package var withoutControls: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
                    return isControl && scalar != "\t" && scalar != "\n" ? "\u{FFFD}" : scalar
                }))
    }
}
