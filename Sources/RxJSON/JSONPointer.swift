/// RFC 6901: which value in a text, as a path of keys and array indices.
///
/// `""` is the whole text, `"/a/0"` the first element of member `a`. In a token `~1` stands for `/` and `~0` for `~`.
/// `-`, the place after an array's last element, points at no value: nothing is ever found there.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// Keys and indices, from the outside in, without escapes.
    public let tokens: [String]

    public init(tokens: [String]) {
        self.tokens = tokens
    }

    /// Throws `.pointer` unless `text` is empty or begins with a slash, and every `~` is followed by `0` or `1`.
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

    public func appending(_ token: String) -> JSONPointer {
        JSONPointer(tokens: tokens + [token])
    }

    /// The array index a token stands for: digits without leading zeros, so not `-`, `01` or `+1`.
    static func index(_ token: String) -> Int? {
        let digits = token.utf8
        guard digits.allSatisfy({ $0 &- 0x30 < 10 }), digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        return Int(token)
    }
}
