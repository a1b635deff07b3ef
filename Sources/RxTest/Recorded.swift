public import Rx

/// A value with the test time of its arrival.
public struct Recorded<Value> {
    /// The test time of the value.
    public let time: TestTime
    /// The value, usually an `Event`.
    public let value: Value

    /// Creates a value at `time`.
    public init(time: TestTime, value: Value) {
        self.time = time
        self.value = value
    }
}

extension Recorded: Sendable where Value: RxSendable {}
extension Recorded: Equatable where Value: Equatable {}

extension Recorded: CustomDebugStringConvertible {
    /// The value and the time, as `value @ time`.
    public var debugDescription: String { "\(value) @ \(time)" }
}

extension Recorded {
    /// An element at `time`.
    public static func next<Element>(_ time: TestTime, _ element: Element) -> Recorded<Event<Element>>
    where Value == Event<Element> {
        Recorded(time: time, value: .next(element))
    }

    /// A completion at `time`.
    public static func completed<Element>(_ time: TestTime, _ type: Element.Type = Element.self)
        -> Recorded<Event<Element>> where Value == Event<Element>
    {
        Recorded(time: time, value: .completed)
    }

    /// A failure with an error at `time`.
    public static func error<Element>(
        _ time: TestTime, _ error: any Error, _ type: Element.Type = Element.self
    ) -> Recorded<Event<Element>> where Value == Event<Element> {
        Recorded(time: time, value: .error(error))
    }

    /// A list of events; helps the compiler to infer the element type.
    public static func events<Element>(_ recordedEvents: Recorded<Event<Element>>...) -> [Recorded<Event<Element>>]
    where Value == Event<Element> {
        recordedEvents
    }

    /// Returns the list unchanged; helps the compiler to infer the element type.
    public static func events<Element>(_ recordedEvents: [Recorded<Event<Element>>]) -> [Recorded<Event<Element>>]
    where Value == Event<Element> {
        recordedEvents
    }
}
