/// An error of a reactor and its origin. The reactor continues after it.
public enum ReactorError: Error {
    /// `transform(action:)` failed and was subscribed to again.
    case transformAction(any Error)
    /// `mutate(action:)` failed. Its earlier mutations were reduced.
    case mutate(any Error)
    /// `transform(mutation:)` failed and was subscribed to again.
    case transformMutation(any Error)
    /// `transform(state:)` failed and was subscribed to again.
    case transformState(any Error)
    /// The admission check refused a state; the previous state stays.
    case refused(any Error)

    /// The wrapped error.
    public var underlyingError: any Error {
        switch self {
        case .transformAction(let error), .mutate(let error), .transformMutation(let error), .transformState(let error),
            .refused(let error):
            error
        }
    }
}
