/// A JSON value as a tree, for building, changing, and comparing.
///
/// Values are equal if they have the same members and elements. Numbers are compared as written (`1` is not `1.0`),
/// strings by code points, objects regardless of order.
public enum JSONValue: Sendable {
    /// The value `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number as written.
    case number(JSONNumber)
    /// A string with escapes decoded.
    case string(String)
    /// The elements of an array, in order.
    case array([JSONValue])
    /// The members of an object, in the order written.
    case object(JSONObject)

    /// An integer.
    public init(_ value: Int) { self = .number(JSONNumber(value)) }
    /// An integer.
    public init(_ value: UInt64) { self = .number(JSONNumber(value)) }

    /// A number; null for infinities and NaN, which JSON cannot represent.
    public init(_ value: Double) { self = JSONNumber(value).map(JSONValue.number) ?? .null }

    /// Whether this is null.
    public var isNull: Bool { self == .null }

    /// The boolean, or nil if this is not one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, or nil if this is not one.
    public var number: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The number if it is exactly an `Int`, in any notation; otherwise nil.
    public var int: Int? { number?.int }

    /// The double nearest to the number, or nil if this is not a number.
    public var double: Double? { number?.double }

    /// The string, or nil if this is not one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, or nil if this is not an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The object, or nil if this is not one.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The value of the member `key`; nil if there is none or this is not an object.
    public subscript(key: String) -> JSONValue? { object?[key] }

    /// The element at `index`; nil if there is none or this is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The value at `pointer`, or nil if there is none.
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
    /// Whether both are equal: numbers as written, strings by code points, objects in any order.
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

    /// Hashes the value; equal values have equal hashes.
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
