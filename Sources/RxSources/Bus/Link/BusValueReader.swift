internal import CSystemd
internal import RxJSON

/// Converts the values of a message to JSON.
///
/// | D-Bus | JSON |
/// |---|---|
/// | bytes, integers | numbers, with all their digits |
/// | doubles | numbers; null for infinities and NaN |
/// | booleans | `true`, `false` |
/// | strings, object paths, signatures | strings |
/// | variants | the value in them |
/// | structs, arrays, also of bytes | arrays |
/// | dictionaries | objects, whose keys are the text of the keys |
/// | file descriptors | null; they are closed |
struct BusValueReader {
    /// The most containers within each other: what D-Bus allows, so that only a broken message has more.
    static let deepest = 64
    /// The most bytes of values, counted as they lie in JSON, roughly. A message of D-Bus can have 128 MiB; an element
    /// must fit into memory several times.
    static let mostBytes = 1_048_576

    private let message: OpaquePointer
    private var bytes = 0

    init(_ message: OpaquePointer) { self.message = message }

    /// The values up to the end of the container.
    mutating func values(depth: Int) throws(BusFailure) -> [JSONValue] {
        var values: [JSONValue] = []
        while let value = try next(depth: depth) { values.append(value) }
        return values
    }

    /// The next value of the container; nil at its end.
    private mutating func next(depth: Int) throws(BusFailure) -> JSONValue? {
        var kind: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard try check(sd_bus_message_peek_type(message, &kind, &contents)) > 0 else { return nil }
        guard depth < Self.deepest else {
            throw BusFailure(description: "the arguments have more than \(Self.deepest) levels")
        }
        try count(2)
        switch UInt8(bitPattern: kind) {
        case UInt8(ascii: "a"):
            let isDictionary = contents?[0] == CChar(UInt8(ascii: "{"))
            try enter(kind, contents)
            let value: JSONValue =
                isDictionary ? .object(try members(depth: depth + 1)) : .array(try values(depth: depth + 1))
            try exit()
            return value
        case UInt8(ascii: "r"):
            try enter(kind, contents)
            let values = try values(depth: depth + 1)
            try exit()
            return .array(values)
        case UInt8(ascii: "v"):
            try enter(kind, contents)
            let value = try next(depth: depth + 1)
            try exit()
            return value ?? .null
        case let basic:
            return try self.basic(basic)
        }
    }

    private mutating func members(depth: Int) throws(BusFailure) -> JSONObject {
        var members: [(String, JSONValue)] = []
        var kind: CChar = 0
        var contents: UnsafePointer<CChar>?
        while try check(sd_bus_message_peek_type(message, &kind, &contents)) > 0 {
            try enter(kind, contents)
            let key = try next(depth: depth) ?? .null
            let value = try next(depth: depth) ?? .null
            try exit()
            members.append((key.string ?? RawJSON(key).text, value))
        }
        return JSONObject(members)
    }

    private mutating func basic(_ kind: UInt8) throws(BusFailure) -> JSONValue {
        // A pointer, or up to eight bytes.
        var storage: UInt64 = 0
        try check(sd_bus_message_read_basic(message, CChar(bitPattern: kind), &storage))
        return try withUnsafeBytes(of: storage) { bytes throws(BusFailure) -> JSONValue in
            switch kind {
            case UInt8(ascii: "y"): .init(Int(bytes.load(as: UInt8.self)))
            case UInt8(ascii: "n"): .init(Int(bytes.load(as: Int16.self)))
            case UInt8(ascii: "q"): .init(Int(bytes.load(as: UInt16.self)))
            case UInt8(ascii: "i"): .init(Int(bytes.load(as: Int32.self)))
            case UInt8(ascii: "u"): .init(Int(bytes.load(as: UInt32.self)))
            case UInt8(ascii: "x"): .init(Int(bytes.load(as: Int64.self)))
            case UInt8(ascii: "t"): .init(bytes.load(as: UInt64.self))
            case UInt8(ascii: "d"): .init(bytes.load(as: Double.self))
            case UInt8(ascii: "b"): .bool(bytes.load(as: Int32.self) != 0)
            case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
                .string(try text(bytes.load(as: UnsafePointer<CChar>?.self)))
            case _: .null
            }
        }
    }

    private mutating func text(_ pointer: UnsafePointer<CChar>?) throws(BusFailure) -> String {
        guard let pointer else { return "" }
        let text = String(cString: pointer)
        try count(text.utf8.count)
        return text
    }

    private mutating func count(_ more: Int) throws(BusFailure) {
        bytes += more
        guard bytes <= Self.mostBytes else {
            throw BusFailure(description: "the arguments have more than \(Self.mostBytes) bytes")
        }
    }

    private func enter(_ kind: CChar, _ contents: UnsafePointer<CChar>?) throws(BusFailure) {
        try check(sd_bus_message_enter_container(message, kind, contents))
    }

    private func exit() throws(BusFailure) { try check(sd_bus_message_exit_container(message)) }

    @discardableResult
    private func check(_ result: Int32) throws(BusFailure) -> Int32 {
        guard result >= 0 else { throw .connection(errno: -result) }
        return result
    }
}
