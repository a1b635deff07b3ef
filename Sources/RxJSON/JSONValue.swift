/// A JSON value as a tree, to build, change and compare.
///
/// Equal means the same members and elements; numbers are compared as written (`1` is not `1.0`), strings character by
/// character, objects without regard to order.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    public init(_ value: Int) { self = .number(JSONNumber(value)) }
    public init(_ value: UInt64) { self = .number(JSONNumber(value)) }

    /// Null for infinities and NaN, which JSON has not.
    public init(_ value: Double) { self = JSONNumber(value).map(JSONValue.number) ?? .null }

    public var isNull: Bool { self == .null }

    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    public var number: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// A number that is exactly an `Int`, however written; else nil.
    public var int: Int? { number?.int }

    public var double: Double? { number?.double }

    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    public subscript(key: String) -> JSONValue? { object?[key] }

    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }

    public func value(at pointer: JSONPointer) -> JSONValue? {
        var value = self
        for token in pointer.tokens {
            let next =
                switch value {
                case .object(let object): object[token]
                case .array: JSONPointer.index(token).flatMap { value[$0] }
                case .null, .bool, .number, .string: JSONValue?.none
                }
            guard let next else { return nil }
            value = next
        }
        return value
    }
}

extension JSONValue: Hashable {
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): Characters(of: one) == Characters(of: other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(Characters(of: value))
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}
