internal import Rx
package import RxHost
internal import RxJSON

/// A condition for accepting inputs of an action: a jq program over a reactor's state.
package struct ReactorCondition: Sendable, Hashable {
    package var reactor: String
    package var when: String
    /// Where the program is written, for messages.
    package var source: SourceLine?

    package init(reactor: String, when: String, source: SourceLine? = nil) {
        self.reactor = reactor
        self.when = when
        self.source = source
    }

    /// Whether both are the same but for the line that they are written in.
    func isSame(as other: ReactorCondition) -> Bool { reactor == other.reactor && when == other.when }
}

/// Evaluates the conditions of actions.
///
/// Each condition runs in a worker process, implemented as a reactor whose state is the result of the condition.
package final class ConditionMonitor<Platform: EnginePlatform>: Sendable {
    /// The longest that a start or a reload waits for the first results, so that actions are not refused for lack of
    /// one.
    private static var patience: Duration { .seconds(2) }

    private unowned let host: Host
    private let jqHost: any JqReactorHost
    private let platform: Platform
    private let watched = Locked<[String: WatchedCondition<Platform>]>([:])

    package init(host: Host, jqHost: any JqReactorHost, platform: Platform) {
        self.host = host
        self.jqHost = jqHost
        self.platform = platform
    }

    /// Evaluates these conditions, by names of actions, and stops evaluating all others. May wait for `patience`.
    package func watch(_ conditions: [String: ReactorCondition]) {
        let prepared = prepare(conditions) { [host] in host.registry[$0] }
        prepared.waitForAnswers()
        adopt(prepared)
        prepared.stopGone()
    }

    /// Begins to evaluate those of these conditions that are new. One call at a time, which ends with `adopt` or
    /// `abandon`.
    ///
    /// - Parameters:
    ///   - conditions: all conditions, by the names of their actions.
    ///   - action: finds an action of the configuration that is to come into force.
    package func prepare(
        _ conditions: [String: ReactorCondition], for action: (String) -> HostedAction?
    ) -> PreparedConditions<Platform> {
        let present = watched.withLock { $0 }
        let kept = present.filter { conditions[$0.key]?.isSame(as: $0.value.condition) ?? false }
        var new: [String: WatchedCondition<Platform>] = [:]
        let deadline = platform.now + Self.patience
        for (name, condition) in conditions where kept[name] == nil {
            if let action = action(name) { new[name] = begin(condition, of: action) }
        }
        return PreparedConditions(
            kept: kept, lines: conditions.mapValues(\.source), new: new, gone: present.filter { kept[$0.key] == nil },
            deadline: deadline)
    }

    /// Lets the new conditions take effect, and the others no more. Does not wait.
    package func adopt(_ prepared: PreparedConditions<Platform>) {
        watched.withLock { $0 = prepared.kept.merging(prepared.new) { $1 } }
        for (name, kept) in prepared.kept { kept.outlet.move(to: prepared.lines[name] ?? nil) }
        for (name, gone) in prepared.gone {
            let next = prepared.new[name]?.outlet
            gone.outlet.close { [host, action = gone.action] in
                if let next { return next.open() }
                // Also for an action that is removed: its queued executions continue, and it may be configured again.
                host.set(unmet: nil, of: action)
            }
        }
        for (name, new) in prepared.new where prepared.gone[name] == nil { new.outlet.open() }
    }

    private func begin(_ condition: ReactorCondition, of action: HostedAction) -> WatchedCondition<Platform> {
        var programs = JqReactorPrograms(reduce: ".mutation")
        // Like jq itself: every value except false and null is true.
        programs.merges = ["[.other | (\(condition.when)\n)] | map(if . then true else false end) | any"]
        var plan = JqReactorPlan(initial: .bool(false), programs: programs)
        plan.sources = [.reactor(condition.reactor)]
        let engine = JqReactorEngine(plan, host: jqHost, platform: platform)
        let outlet = ConditionOutlet(condition, answered: platform.makeSignal()) { [host] unmet in
            host.set(unmet: unmet, of: action)
        }
        do throws(ReactorFault) {
            _ = try engine.start(from: nil, outlet: outlet)
        } catch {
            outlet.failed(error)
        }
        return WatchedCondition(condition: condition, action: action, engine: engine, outlet: outlet)
    }
}

extension ConditionMonitor where Platform == SystemEnginePlatform {
    /// Creates a monitor whose engines have threads and worker processes.
    package convenience init(host: Host, jqHost: any JqReactorHost) {
        self.init(host: host, jqHost: jqHost, platform: SystemEnginePlatform())
    }
}
