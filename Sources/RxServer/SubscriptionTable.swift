internal import RxAction
internal import RxHost

/// All subscriptions of a server, by what they watch.
struct SubscriptionTable {
    private var byAction: [ObjectIdentifier: [Subscription]] = [:]
    private var byExecution: [ExecutionID: [Subscription]] = [:]
    private(set) var count = 0

    mutating func insert(_ subscription: Subscription) {
        count += 1
        switch subscription.target {
        case .actions(let actions):
            for action in actions { byAction[ObjectIdentifier(action), default: []].append(subscription) }
        case .execution(let execution, _):
            byExecution[execution.id, default: []].append(subscription)
        }
    }

    mutating func remove(_ subscription: Subscription) {
        count -= 1
        switch subscription.target {
        case .actions(let actions):
            for action in actions {
                let key = ObjectIdentifier(action)
                byAction[key]?.removeAll { $0 === subscription }
                if byAction[key]?.isEmpty ?? false { byAction[key] = nil }
            }
        case .execution(let execution, _):
            byExecution[execution.id]?.removeAll { $0 === subscription }
            if byExecution[execution.id]?.isEmpty ?? false { byExecution[execution.id] = nil }
        }
    }

    func of(_ action: HostedAction) -> [Subscription] { byAction[ObjectIdentifier(action)] ?? [] }

    func of(_ execution: ExecutionID) -> [Subscription] { byExecution[execution] ?? [] }
}

extension Subscription {
    /// The actions whose events the log keeps for this subscription.
    var watchedActions: [HostedAction] {
        switch target {
        case .actions(let actions): actions
        case .execution: []
        }
    }
}
