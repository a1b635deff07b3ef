public import RxJSON

/// A text to search for, literally. Upper and lower case are the same, unless the text has an upper-case letter.
public struct SearchText: Sendable, Hashable {
    /// The longest text: more than anybody types. A search costs the same however long the text is.
    public static let mostBytes = 1024

    private enum Case {
        /// The text has an upper-case letter.
        case matters
        /// The text is ASCII, and so only ASCII letters can be the same.
        case isASCII
        case isUnicode
    }

    private let bytes: [UInt8]
    /// For each of the bytes, how many bytes before it begin the text as well, so that a search looks at each byte once
    /// (Knuth, Morris, Pratt).
    private let borders: [Int]
    private let kind: Case

    /// Nil for an empty text, and for one of more than `mostBytes`.
    public init?(_ text: String) {
        guard (1...Self.mostBytes).contains(text.utf8.count) else { return nil }
        if text.unicodeScalars.contains(where: { $0.properties.isUppercase }) {
            bytes = Array(text.utf8)
            kind = .matters
        } else {
            bytes = Array(text.lowercased().utf8)
            kind = bytes.allSatisfy { $0 < 0x80 } ? .isASCII : .isUnicode
        }
        var borders = [0]
        for index in 1..<max(bytes.count, 1) {
            var border = borders[index - 1]
            while border > 0, bytes[border] != bytes[index] { border = borders[border - 1] }
            borders.append(bytes[border] == bytes[index] ? border + 1 : 0)
        }
        self.borders = borders
    }

    /// Whether these bytes, which are mostly UTF-8, contain the text.
    public func isIn(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        switch kind {
        case .matters: contained(in: other) { $0 }
        case .isASCII: contained(in: other) { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        case .isUnicode:
            Array(String(decoding: other, as: UTF8.self).lowercased().utf8)
                .withUnsafeBufferPointer { contained(in: $0) { $0 } }
        }
    }

    @inline(__always)
    private func contained(in other: UnsafeBufferPointer<UInt8>, _ fold: (UInt8) -> UInt8) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            borders.withUnsafeBufferPointer { borders in
                var matched = 0
                for byte in other {
                    let byte = fold(byte)
                    while matched > 0, bytes[matched] != byte { matched = borders[matched - 1] }
                    guard bytes[matched] == byte else { continue }
                    matched += 1
                    if matched == bytes.count { return true }
                }
                return false
            }
        }
    }

    /// Whether a text contains the text.
    public func isIn(_ other: String) -> Bool {
        var other = other
        return other.withUTF8 { isIn($0) }
    }

    /// Whether a name or a string in `value` contains the text.
    public func isIn(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .bool, .number: false
        case .string(let text): isIn(text)
        case .array(let elements): elements.contains { isIn($0) }
        case .object(let members): members.contains { isIn($0.key) || isIn($0.value) }
        }
    }
}

extension SearchText {
    /// Whether the input or the failure of an execution contains the text: the input as JSON, and its strings without
    /// escapes; the failure's message, and its strings, of which one is the end of stderr.
    public func isIn(_ record: ExecutionRecord) -> Bool {
        if let input = record.input, isIn(json: input) { return true }
        guard case .failed(let failure)? = record.error else { return false }
        return isIn(failure.message) || isIn(.object(failure.facts))
    }

    /// Whether the text is in `json` as it is, or in its strings without escapes.
    func isIn(json: RawJSON) -> Bool {
        let (isFound, hasEscapes) = json.utf8.withUnsafeBufferPointer { (isIn($0), SearchText.hasEscapes($0)) }
        return isFound || hasEscapes && isIn(json.value())
    }

    /// Whether a search in this JSON can find the text: either it is there as it is, or escapes may stand for it.
    package func mayBeIn(json: UnsafeBufferPointer<UInt8>) -> Bool { Self.hasEscapes(json) || isIn(json) }

    private static func hasEscapes(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
        json.contains(UInt8(ascii: "\\"))
    }
}
