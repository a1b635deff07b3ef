public import Rx

/// Events are equal if they have the same kind and equal elements. Errors are compared by type and description.
extension Event: Equatable where Element: Equatable {
    /// Whether both events have the same kind and equal elements, or errors of equal type and description.
    public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.next(let left), .next(let right)): left == right
        case (.error(let left), .error(let right)): areEqual(left, right)
        case (.completed, .completed): true
        case (.next, _), (.error, _), (.completed, _): false
        }
    }
}

/// Outcomes are equal if they have the same kind and equal elements. Errors are compared by type and description.
extension MaybeEvent: Equatable where Element: Equatable {
    /// Whether both outcomes have the same kind and equal elements, or errors of equal type and description.
    public static func == (lhs: MaybeEvent<Element>, rhs: MaybeEvent<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.success(let left), .success(let right)): left == right
        case (.error(let left), .error(let right)): areEqual(left, right)
        case (.completed, .completed): true
        case (.success, _), (.error, _), (.completed, _): false
        }
    }
}

/// Outcomes are equal if they have the same kind. Errors are compared by type and description.
extension CompletableEvent: Equatable {
    /// Whether both outcomes have the same kind, and errors of equal type and description.
    public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
        switch (lhs, rhs) {
        case (.error(let left), .error(let right)): areEqual(left, right)
        case (.completed, .completed): true
        case (.error, _), (.completed, _): false
        }
    }
}

/// Compares outcomes of a `Single` by their elements, or by the type and description of their errors.
public func == <Element: Equatable>(lhs: Result<Element, any Error>, rhs: Result<Element, any Error>) -> Bool {
    switch (lhs, rhs) {
    case (.success(let left), .success(let right)): left == right
    case (.failure(let left), .failure(let right)): areEqual(left, right)
    case (.success, _), (.failure, _): false
    }
}

/// Compares errors, which need not be `Equatable`, by type and description.
func areEqual(_ left: any Error, _ right: any Error) -> Bool {
    type(of: left) == type(of: right) && "\(left)" == "\(right)"
}
