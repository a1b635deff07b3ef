internal import Dispatch
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
package final class ConditionMonitor: Sendable {
    /// How long a start or a reload waits for the first results, so that actions are not refused for lack of one.
    private static let patience = DispatchTimeInterval.seconds(2)

    private struct Watched {
        let condition: ReactorCondition
        let engine: JqReactorEngine
        let outlet: ConditionOutlet
    }

    private unowned let host: Host
    private let jqHost: any JqReactorHost
    private let watched = Locked<[String: Watched]>([:])

    package init(host: Host, jqHost: any JqReactorHost) {
        self.host = host
        self.jqHost = jqHost
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
        let deadline = DispatchTime.now() + ConditionMonitor.patience
        let outlets = new.compactMap { name, condition in begin(name, condition) }
        for outlet in outlets { outlet.waitForAnswer(until: deadline) }
    }

    private func begin(_ name: String, _ condition: ReactorCondition) -> ConditionOutlet? {
        guard let action = host.registry[name] else { return nil }
        var programs = JqReactorPrograms(reduce: ".mutation")
        // Like jq itself: every value except false and null is true.
        programs.merges = ["[.other | (\(condition.when)\n)] | map(if . then true else false end) | any"]
        var plan = JqReactorPlan(initial: .bool(false), programs: programs)
        plan.sources = [.reactor(condition.reactor)]
        let engine = JqReactorEngine(plan, host: jqHost)
        let outlet = ConditionOutlet(condition) { [host] unmet in host.set(unmet: unmet, of: action) }
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

/// Receives the results of a condition.
private final class ConditionOutlet: ReactorOutlet {
    private let condition: ReactorCondition
    private let tell: @Sendable (UnmetCondition?) -> Void
    private let isOpen = Locked(true)
    private let answered = DispatchSemaphore(value: 0)

    init(_ condition: ReactorCondition, _ tell: @escaping @Sendable (UnmetCondition?) -> Void) {
        self.condition = condition
        self.tell = tell
    }

    func close() { isOpen.withLock { $0 = false } }

    func reduced(_ step: ReactorStep) {
        set(step.state.tree.bool == true ? nil : UnmetCondition(reactor: condition.reactor, when: condition.when))
    }

    func failed(_ fault: ReactorFault) {
        set(UnmetCondition(reactor: condition.reactor, when: condition.when, error: fault.message))
    }

    private func set(_ unmet: UnmetCondition?) {
        if isOpen.withLock({ $0 }) { tell(unmet) }
        answered.signal()
    }

    func waitForAnswer(until deadline: DispatchTime) { _ = answered.wait(timeout: deadline) }
}
