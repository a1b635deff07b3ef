internal import Rx
package import RxHost
internal import RxPlatform
package import RxStreams

/// Evaluates the conditions of actions, with the mechanism of those of streams.
package final class ActionConditions: Sendable {
    /// The longest that a start or a reload waits for the first results, so that actions are not refused for lack of
    /// one.
    private static let patience = Duration.seconds(2)

    private let services: StreamServices
    private let watched = Locked<[String: ActionCondition]>([:])

    init(_ services: StreamServices) { self.services = services }

    /// Evaluates these conditions, by names of actions, and stops evaluating all others. May wait for `patience`.
    ///
    /// - Parameter places: where they stand in the configuration, as `prepare` has them.
    package func watch(_ conditions: [String: EnabledCondition], at places: [String: String] = [:]) {
        let prepared = prepare(conditions, at: places) { [host = services.host] in host.registry[$0] }
        prepared.waitForAnswers()
        adopt(prepared)
        prepared.stopGone()
    }

    /// Begins to evaluate those of these conditions that are new. One call at a time, which ends with `adopt` or
    /// `abandon`.
    ///
    /// - Parameters:
    ///   - conditions: all conditions, by the names of their actions.
    ///   - places: where they stand in the configuration, such as `rxd.toml:41: enabled.when`, for messages.
    ///   - action: finds an action of the configuration that is to come into force.
    package func prepare(
        _ conditions: [String: EnabledCondition], at places: [String: String] = [:],
        for action: (String) -> HostedAction?
    ) -> PreparedConditions {
        let present = watched.withLock { $0 }
        // One that has moved is evaluated again: its messages have the place.
        let kept = present.filter { conditions[$0.key] == $0.value.condition && places[$0.key] == $0.value.place }
        var new: [String: ActionCondition] = [:]
        for (name, condition) in conditions where kept[name] == nil {
            guard let action = action(name) else { continue }
            new[name] = ActionCondition(condition, at: places[name], of: action, services: services)
        }
        for condition in new.values { condition.start() }
        let clock = services.host.platform.monotonicClock
        return PreparedConditions(
            kept: kept, new: new, gone: present.filter { kept[$0.key] == nil }, clock: clock,
            deadline: clock.now + Self.patience)
    }

    /// Lets the new conditions take effect, and the others no more. Does not wait.
    package func adopt(_ prepared: PreparedConditions) {
        let all = prepared.kept.merging(prepared.new) { $1 }
        watched.withLock { $0 = all }
        services.host.conditionParts = all.mapValues(\.condition.parts)
        for (name, gone) in prepared.gone {
            let next = prepared.new[name]
            gone.close { [host = services.host, action = gone.action] in
                if let next { return next.open() }
                // Also for an action that is removed: its queued executions continue, and it may be configured again.
                host.set(unmet: nil, of: action)
            }
        }
        for (name, new) in prepared.new where prepared.gone[name] == nil { new.open() }
    }

    /// There are other streams of these names than before.
    func reconnect(to streams: Set<String>) {
        for condition in watched.withLock({ Array($0.values) }) { condition.reconnect(to: streams) }
    }
}

/// The conditions of a configuration that is to come into force. The new ones are evaluated, without effect yet.
package struct PreparedConditions: Sendable {
    /// The conditions that have not changed, by action.
    let kept: [String: ActionCondition]
    /// The conditions that are new or have changed, by action.
    let new: [String: ActionCondition]
    /// The conditions that are removed or replaced, by action.
    let gone: [String: ActionCondition]
    fileprivate let clock: MonotonicClock
    fileprivate let deadline: Duration

    /// Waits for the first results, for a limited time.
    package func waitForAnswers() {
        for condition in new.values { condition.waitForAnswer(atMost: deadline - clock.now) }
    }

    /// Stops evaluating the conditions that have no effect any more.
    package func stopGone() {
        for condition in gone.values { condition.stop() }
    }

    /// Stops evaluating the new conditions, which will have no effect.
    package func abandon() {
        for condition in new.values {
            condition.close {}
            condition.stop()
        }
    }
}
