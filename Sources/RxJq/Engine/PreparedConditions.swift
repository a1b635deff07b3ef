internal import RxHost

/// A condition and the engine that evaluates it.
struct WatchedCondition<Platform: EnginePlatform>: Sendable {
    let condition: ReactorCondition
    let action: HostedAction
    let engine: JqReactorEngine<Platform>
    let outlet: ConditionOutlet<Platform.Signal>
}

/// The conditions of a configuration that is to come into force. The new ones are evaluated, without effect yet.
package struct PreparedConditions<Platform: EnginePlatform>: Sendable {
    /// Those that stay, those that are new or have changed, and those that go, by the names of their actions.
    let kept: [String: WatchedCondition<Platform>]
    /// Where the programs are written, by the names of their actions.
    let lines: [String: SourceLine?]
    let new: [String: WatchedCondition<Platform>]
    let gone: [String: WatchedCondition<Platform>]
    let deadline: Duration

    /// Waits for the first results, for a limited time.
    package func waitForAnswers() {
        for condition in new.values { condition.outlet.waitForAnswer(until: deadline) }
    }

    /// Stops evaluating the conditions that have no effect any more.
    package func stopGone() {
        for condition in gone.values { condition.engine.stop {} }
    }

    /// Stops evaluating the new conditions, which will have no effect.
    package func abandon() {
        for condition in new.values { condition.outlet.close {} }
        for condition in new.values { condition.engine.stop {} }
    }
}
