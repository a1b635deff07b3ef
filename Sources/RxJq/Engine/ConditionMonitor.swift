internal import Rx
package import RxHost
internal import RxJSON

/// A condition for accepting inputs of an action: a jq program over a reactor's state.
package struct ReactorCondition: Sendable, Hashable {
    package var reactor: String
    package var when: String

    package init(reactor: String, when: String) {
        self.reactor = reactor
        self.when = when
    }
}

/// Evaluates the conditions of actions.
///
/// Each condition runs in a worker process, implemented as a reactor whose state is the result of the condition.
package final class ConditionMonitor<Platform: EnginePlatform>: Sendable {
    /// How long a start or a reload waits for the first results, so that actions are not refused for lack of one.
    private static var patience: Duration { .seconds(2) }

    private struct Watched {
        let condition: ReactorCondition
        let engine: JqReactorEngine<Platform>
        let outlet: ConditionOutlet<Platform.Signal>
    }

    private unowned let host: Host
    private let jqHost: any JqReactorHost
    private let platform: Platform
    private let watched = Locked<[String: Watched]>([:])

    package init(host: Host, jqHost: any JqReactorHost, platform: Platform) {
        self.host = host
        self.jqHost = jqHost
        self.platform = platform
    }

    /// Evaluates these conditions, by names of actions, and stops evaluating all others.
    package func watch(_ conditions: [String: ReactorCondition]) {
        let (gone, new) = watched.withLock { watched in
            let gone = watched.filter { conditions[$0.key] != $0.value.condition }
            for name in gone.keys { watched[name] = nil }
            return (gone, conditions.filter { watched[$0.key] == nil })
        }
        for (name, old) in gone {
            old.outlet.close()
            old.engine.stop {}
            if conditions[name] == nil, let action = host.registry[name] { host.set(unmet: nil, of: action) }
        }
        let deadline = platform.now + Self.patience
        let outlets = new.compactMap { name, condition in begin(name, condition) }
        for outlet in outlets { outlet.waitForAnswer(until: deadline) }
    }

    private func begin(_ name: String, _ condition: ReactorCondition) -> ConditionOutlet<Platform.Signal>? {
        guard let action = host.registry[name] else { return nil }
        var programs = JqReactorPrograms(reduce: ".mutation")
        // Like jq itself: every value except false and null is true.
        programs.merges = ["[.other | (\(condition.when)\n)] | map(if . then true else false end) | any"]
        var plan = JqReactorPlan(initial: .bool(false), programs: programs)
        plan.sources = [.reactor(condition.reactor)]
        let engine = JqReactorEngine(plan, host: jqHost, platform: platform)
        let outlet = ConditionOutlet(condition, answered: platform.makeSignal()) { [host] unmet in
            host.set(unmet: unmet, of: action)
        }
        host.set(unmet: UnmetCondition(reactor: condition.reactor, when: condition.when), of: action)
        do throws(ReactorFault) {
            _ = try engine.start(from: nil, outlet: outlet)
        } catch {
            outlet.failed(error)
        }
        watched.withLock { $0[name] = Watched(condition: condition, engine: engine, outlet: outlet) }
        return outlet
    }
}

extension ConditionMonitor where Platform == SystemEnginePlatform {
    /// Creates a monitor whose engines have threads and worker processes.
    package convenience init(host: Host, jqHost: any JqReactorHost) {
        self.init(host: host, jqHost: jqHost, platform: SystemEnginePlatform())
    }
}

/// Receives the results of a condition.
private final class ConditionOutlet<Signal: EngineSignal>: ReactorOutlet {
    private let condition: ReactorCondition
    private let report: @Sendable (UnmetCondition?) -> Void
    private let isOpen = Locked(true)
    private let answered: Signal

    init(
        _ condition: ReactorCondition, answered: Signal, _ report: @escaping @Sendable (UnmetCondition?) -> Void
    ) {
        self.condition = condition
        self.answered = answered
        self.report = report
    }

    func close() { isOpen.withLock { $0 = false } }

    func reduced(_ step: ReactorStep) {
        set(step.state.tree.bool == true ? nil : UnmetCondition(reactor: condition.reactor, when: condition.when))
    }

    func failed(_ fault: ReactorFault) {
        set(UnmetCondition(reactor: condition.reactor, when: condition.when, error: fault.message))
    }

    private func set(_ unmet: UnmetCondition?) {
        if isOpen.withLock({ $0 }) { report(unmet) }
        answered.send()
    }

    func waitForAnswer(until deadline: Duration) { answered.wait(until: deadline) }
}
