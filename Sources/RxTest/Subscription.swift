/// The times at which a subscription was made and disposed.
public struct Subscription: Hashable, Sendable {
    /// The value of `unsubscribe` for a subscription that is not disposed.
    private static let never = Int.max

    /// The time of the subscription.
    public let subscribe: TestTime
    /// The time of the disposal; `Int.max` while not disposed.
    public let unsubscribe: TestTime

    /// A subscription that is not disposed.
    public init(_ subscribe: TestTime) {
        self.init(subscribe, Subscription.never)
    }

    /// A subscription that is disposed at `unsubscribe`.
    public init(_ subscribe: TestTime, _ unsubscribe: TestTime) {
        self.subscribe = subscribe
        self.unsubscribe = unsubscribe
    }
}

extension Subscription: CustomDebugStringConvertible {
    /// The two times, for messages of failed tests.
    public var debugDescription: String {
        unsubscribe == Subscription.never ? "(\(subscribe) : never)" : "(\(subscribe) : \(unsubscribe))"
    }
}
