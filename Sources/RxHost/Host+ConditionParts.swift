internal import Rx

extension Host {
    /// What the conditions of actions read, by the names of the actions. The owner of the conditions sets it.
    public var conditionParts: [String: [ConditionPart]] {
        get { services.conditionParts.withLock { $0 } }
        set { services.conditionParts.withLock { $0 = newValue } }
    }
}
