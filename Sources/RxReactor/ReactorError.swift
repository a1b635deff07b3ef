/// What `errors` carries: an error and where in the reactor it came from. The reactor lives on.
public enum ReactorError: Error {
    /// `transform(action:)` failed, and was subscribed again.
    case transformAction(any Error)
    /// `mutate(action:)` failed. Its mutations before that were reduced.
    case mutate(any Error)
    /// `transform(mutation:)` failed, and was subscribed again.
    case transformMutation(any Error)
    /// `transform(state:)` failed, and was subscribed again.
    case transformState(any Error)
    /// A state was not admitted; the one before it stays.
    case refused(any Error)

    public var underlyingError: any Error {
        switch self {
        case .transformAction(let error), .mutate(let error), .transformMutation(let error), .transformState(let error),
            .refused(let error):
            error
        }
    }
}
