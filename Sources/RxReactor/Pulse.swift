public import Rx

/// A state property whose every assignment is emitted, even if the value stays equal: an alert to show, a position to
/// scroll to. Observe it with `reactor.pulse(\.$alert)`.
@propertyWrapper
public struct Pulse<Value> {
    /// The value. Each assignment increases `valueUpdatedCount`.
    public var value: Value {
        didSet { countUpdate() }
    }

    /// The number of assignments since creation. Wraps from `UInt.max` to 0.
    public internal(set) var valueUpdatedCount = UInt.min

    /// Creates the property with an initial value, which does not count as an assignment.
    public init(wrappedValue: Value) {
        value = wrappedValue
    }

    /// The value. Each assignment increases `valueUpdatedCount`.
    public var wrappedValue: Value {
        get { value }
        set { value = newValue }
    }

    /// The property wrapper itself, for `Reactor.pulse(_:)`.
    public var projectedValue: Pulse<Value> { self }

    private mutating func countUpdate() { valueUpdatedCount &+= 1 }
}

extension Pulse: Sendable where Value: RxSendable {}
