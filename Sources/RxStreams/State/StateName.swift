internal import RxJSON

/// The texts within the names of stored values, such as the key of a group, in ASCII.
///
/// Two strings are equal in Swift if they look the same, whereas groups are the same if their keys have the same bytes:
/// an é can be one scalar or two. In ASCII, both comparisons agree.
package enum StateName {
    /// A text with `\xC3\xA9` in place of an é. JSON has no `\x`, so different JSON texts stay different.
    package static func ascii(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var name: [UInt8] = []
        for byte in text.utf8 {
            if byte < 0x80 {
                name.append(byte)
            } else {
                name += [0x5C, 0x78, digit(byte >> 4), digit(byte & 0xF)]
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// The JSON that a name was made of; nil if it was made of something else.
    static func json(_ name: some StringProtocol) -> RawJSON? {
        var text: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            text.append(byte)
            guard byte == 0x5C, let escaped = rest.popFirst() else { continue }
            if escaped == 0x78 {
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
                rest = rest.dropFirst(2)
                text[text.count - 1] = value
            } else {
                text.append(escaped)
            }
        }
        return try? RawJSON(validating: text)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
