/// A value of a state that is told each time it is assigned to, also when it stays equal: an alert to be shown, a place to
/// scroll to. `reactor.pulse(\.$alert)` tells it.
@propertyWrapper
public struct Pulse<Value> {
    public var value: Value {
        didSet { countUpdate() }
    }

    /// How often it was assigned to since it was made. After `UInt.max` it starts over at 0.
    public internal(set) var valueUpdatedCount = UInt.min

    public init(wrappedValue: Value) {
        value = wrappedValue
    }

    public var wrappedValue: Value {
        get { value }
        set { value = newValue }
    }

    public var projectedValue: Pulse<Value> { self }

    private mutating func countUpdate() { valueUpdatedCount &+= 1 }
}

extension Pulse: Sendable where Value: Sendable {}
