public import Rx

/// Events are equal when they are of one kind, and so are their elements; errors by type and description.
extension Event: Equatable where Element: Equatable {
    public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.next(let left), .next(let right)): left == right
        case (.error(let left), .error(let right)): areEqual(left, right)
        case (.completed, .completed): true
        case (.next, _), (.error, _), (.completed, _): false
        }
    }
}

/// Outcomes are equal when they are of one kind, and so are their elements; errors by type and description.
extension MaybeEvent: Equatable where Element: Equatable {
    public static func == (lhs: MaybeEvent<Element>, rhs: MaybeEvent<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.success(let left), .success(let right)): left == right
        case (.error(let left), .error(let right)): areEqual(left, right)
        case (.completed, .completed): true
        case (.success, _), (.error, _), (.completed, _): false
        }
    }
}

/// Outcomes are equal when they are of one kind; errors by type and description.
extension CompletableEvent: Equatable {
    public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
        switch (lhs, rhs) {
        case (.error(let left), .error(let right)): areEqual(left, right)
        case (.completed, .completed): true
        case (.error, _), (.completed, _): false
        }
    }
}

/// Outcomes of a `Single` are equal when their elements are; errors by type and description.
public func == <Element: Equatable>(lhs: Result<Element, any Error>, rhs: Result<Element, any Error>) -> Bool {
    switch (lhs, rhs) {
    case (.success(let left), .success(let right)): left == right
    case (.failure(let left), .failure(let right)): areEqual(left, right)
    case (.success, _), (.failure, _): false
    }
}

/// Errors need not be `Equatable`: their type and what they say of themselves decide.
func areEqual(_ left: any Error, _ right: any Error) -> Bool {
    type(of: left) == type(of: right) && "\(left)" == "\(right)"
}
