/// When a subscription was made and when it was disposed.
public struct Subscription: Hashable, Sendable {
    /// As `unsubscribe`: not disposed.
    private static let never = Int.max

    public let subscribe: TestTime
    /// `Int.max` as long as it is not disposed.
    public let unsubscribe: TestTime

    /// Made, and not disposed.
    public init(_ subscribe: TestTime) {
        self.init(subscribe, Subscription.never)
    }

    public init(_ subscribe: TestTime, _ unsubscribe: TestTime) {
        self.subscribe = subscribe
        self.unsubscribe = unsubscribe
    }
}

extension Subscription: CustomDebugStringConvertible {
    public var debugDescription: String {
        unsubscribe == Subscription.never ? "(\(subscribe) : never)" : "(\(subscribe) : \(unsubscribe))"
    }
}
