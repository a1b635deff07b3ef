import RxJSON

/// Reads `text`, followed by padding that would spoil the result if it were taken for part of the text.
func reading<Result>(
    _ text: String, limits: JSONLimits = JSONLimits(), _ body: (JSONView) throws -> Result
) throws -> Result {
    try reading(Array(text.utf8), limits: limits, body)
}

func reading<Result>(
    _ bytes: [UInt8], limits: JSONLimits = JSONLimits(), padding: UInt8 = UInt8(ascii: "1"),
    _ body: (JSONView) throws -> Result
) throws -> Result {
    let reader = JSONReader(limits: limits)
    let padded = bytes + [UInt8](repeating: padding, count: JSONReader.padding)
    return try withExtendedLifetime(reader) {
        try padded.withUnsafeBytes { buffer in
            try body(try reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count])))
        }
    }
}

/// The error that reading `bytes` throws, or nil.
func refusal(_ bytes: [UInt8], limits: JSONLimits = JSONLimits(), padding: UInt8 = UInt8(ascii: "1")) -> JSONError? {
    do {
        try reading(bytes, limits: limits, padding: padding) { _ in }
        return nil
    } catch {
        return error as? JSONError
    }
}

func refusal(_ text: String, limits: JSONLimits = JSONLimits()) -> JSONError? {
    refusal(Array(text.utf8), limits: limits)
}

extension JSONView {
    var text: String { String(decoding: raw, as: UTF8.self) }
}

extension String {
    static func * (text: String, count: Int) -> String { String(repeating: text, count: count) }
}

/// The same numbers every time (SplitMix64), so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Random trees of every kind of value, with awkward strings and numbers.
struct RandomJSON {
    var generator: SeededGenerator

    mutating func value(depth: Int = 5) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: .null
        case 1: .bool(Bool.random(using: &generator))
        case 2: JSONValue(Int.random(in: .min ... .max, using: &generator) >> Int.random(in: 0..<64, using: &generator))
        case 3: JSONValue(Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator)))
        case 4: JSONValue(UInt64.random(in: .min ... .max, using: &generator))
        case 5: .string(string())
        case 6: .array((0..<Int.random(in: 0..<5, using: &generator)).map { _ in value(depth: depth - 1) })
        case _: .object(object(depth: depth - 1))
        }
    }

    private mutating func object(depth: Int) -> JSONObject {
        var object = JSONObject()
        for _ in 0..<Int.random(in: 0..<14, using: &generator) { object[string()] = value(depth: min(depth, 2)) }
        return object
    }

    private mutating func string() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
            let range: ClosedRange<UInt32> =
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: 0...0x2F
                case 1: 0x22...0x5C
                case 2: 0x80...0x7FF
                case 3: 0x800...0xFFFF
                case _: 0x10000...0x10FFFF
                }
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) { text.append(scalar) }
        }
        return String(text)
    }
}
