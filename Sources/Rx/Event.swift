/// One event of an observable sequence. A sequence is `next* (error | completed)?`.
@frozen
public enum Event<Element: RxSendable>: Sendable {
    /// The next element.
    case next(Element)
    /// The sequence failed; nothing follows.
    case error(any Error)
    /// The sequence completed; nothing follows.
    case completed
}

extension Event {
    /// Whether this event ends its sequence.
    @inlinable
    public var isStopEvent: Bool {
        switch self {
        case .next: false
        case .error, .completed: true
        }
    }

    /// Whether this is `completed`.
    @inlinable
    public var isCompleted: Bool {
        switch self {
        case .completed: true
        case .next, .error: false
        }
    }

    /// The element of `next`; otherwise nil.
    @inlinable
    public var element: Element? {
        switch self {
        case .next(let element): element
        case .error, .completed: nil
        }
    }

    /// The error of `error`; otherwise nil.
    @inlinable
    public var error: (any Error)? {
        switch self {
        case .error(let error): error
        case .next, .completed: nil
        }
    }

    /// Returns the event with its element transformed. An error that `transform` throws becomes an `error` event.
    @inlinable
    public func map<Result>(_ transform: (Element) throws -> Result) -> Event<Result> {
        switch self {
        case .next(let element):
            do {
                return .next(try transform(element))
            } catch {
                return .error(error)
            }
        case .error(let error):
            return .error(error)
        case .completed:
            return .completed
        }
    }
}

extension Event: CustomDebugStringConvertible {
    /// The case and its value, as `next(1)`.
    public var debugDescription: String {
        switch self {
        case .next(let element): "next(\(element))"
        case .error(let error): "error(\(error))"
        case .completed: "completed"
        }
    }
}

/// A type that represents an event, such as the elements of `materialize()`.
#if Migration
    @preconcurrency
#endif
public protocol EventConvertible<Element>: RxSendable {
    /// The element of the event.
    associatedtype Element: RxSendable
    /// The event that the value represents.
    var event: Event<Element> { get }
}

extension Event: EventConvertible {
    /// The event itself.
    @inlinable public var event: Event<Element> { self }
}
