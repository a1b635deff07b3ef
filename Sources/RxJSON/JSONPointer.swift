/// A JSON Pointer as defined by RFC 6901: the path of a value, as keys and array indices.
///
/// `""` is the whole text, `"/a/0"` the first element of member `a`. Within a token, `~1` encodes `/` and `~0` encodes
/// `~`. `-`, the position after an array's last element, never refers to an existing value.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// Keys and indices from the outermost to the innermost, without escapes.
    public let tokens: [String]

    /// Creates a pointer from unescaped tokens.
    public init(tokens: [String]) {
        self.tokens = tokens
    }

    /// Parses a pointer.
    ///
    /// - Throws: `.pointer` unless `text` is empty or begins with a slash, and each `~` is followed by `0` or `1`.
    public init(_ text: String) throws(JSONError) {
        var tokens: [String] = []
        var token: [UInt8] = []
        var tilde = false
        for (offset, byte) in text.utf8.enumerated() {
            if offset == 0 {
                guard byte == UInt8(ascii: "/") else {
                    throw JSONError(.pointer, at: 0, "a JSON Pointer begins with '/'")
                }
                continue
            }
            switch (tilde, byte) {
            case (true, UInt8(ascii: "0")): token.append(UInt8(ascii: "~"))
            case (true, UInt8(ascii: "1")): token.append(UInt8(ascii: "/"))
            case (true, _): throw JSONError(.pointer, at: offset, "expected 0 or 1 after '~'")
            case (false, UInt8(ascii: "/")):
                tokens.append(String(decoding: token, as: UTF8.self))
                token = []
            case (false, UInt8(ascii: "~")): break
            case (false, _): token.append(byte)
            }
            tilde = !tilde && byte == UInt8(ascii: "~")
        }
        if tilde { throw JSONError(.pointer, at: text.utf8.count, "expected 0 or 1 after '~'") }
        if !text.isEmpty { tokens.append(String(decoding: token, as: UTF8.self)) }
        self.tokens = tokens
    }

    /// The text of the pointer, with escapes.
    public var description: String {
        var bytes: [UInt8] = []
        for token in tokens {
            bytes.append(UInt8(ascii: "/"))
            for byte in token.utf8 {
                switch byte {
                case UInt8(ascii: "~"): bytes += "~0".utf8
                case UInt8(ascii: "/"): bytes += "~1".utf8
                case _: bytes.append(byte)
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The pointer to the member or element `token` of this one. `token` is unescaped.
    public func appending(_ token: String) -> JSONPointer {
        JSONPointer(tokens: tokens + [token])
    }

    /// Parses an array index: digits without leading zeros, so not `-`, `01`, or `+1`.
    static func index(_ token: String) -> Int? {
        let digits = token.utf8
        guard digits.allSatisfy({ $0 &- 0x30 < 10 }), digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        return Int(token)
    }
}
