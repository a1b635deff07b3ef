/// A JSON value as a tree, to build, change and compare.
///
/// Equal means the same members and elements; numbers are compared as written (`1` is not `1.0`), objects without
/// regard to order.
public enum JSONValue: Sendable, Hashable {
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
