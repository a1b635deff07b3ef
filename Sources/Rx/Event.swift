/// One event of an observable sequence. A sequence is `next* (error | completed)?`.
@frozen
public enum Event<Element: Sendable>: Sendable {
    case next(Element)
    /// The sequence failed; nothing follows.
    case error(any Error)
    /// The sequence ended well; nothing follows.
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

    @inlinable
    public var isCompleted: Bool {
        switch self {
        case .completed: true
        case .next, .error: false
        }
    }

    /// The element of a `next`, nil for the others.
    @inlinable
    public var element: Element? {
        switch self {
        case .next(let element): element
        case .error, .completed: nil
        }
    }

    /// The error of an `error`, nil for the others.
    @inlinable
    public var error: (any Error)? {
        switch self {
        case .error(let error): error
        case .next, .completed: nil
        }
    }

    /// The event with its element transformed; an error thrown by `transform` becomes an `error` event.
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
    public var debugDescription: String {
        switch self {
        case .next(let element): "next(\(element))"
        case .error(let error): "error(\(error))"
        case .completed: "completed"
        }
    }
}

/// A type whose values stand for events, such as the result of `materialize()`.
public protocol EventConvertible<Element>: Sendable {
    associatedtype Element: Sendable
    var event: Event<Element> { get }
}

extension Event: EventConvertible {
    @inlinable public var event: Event<Element> { self }
}
