public import RxRecords
public import RxAction

/// Why an action takes no input.
public enum DisabledReason: Sendable, Hashable {
    /// As many executions are in flight as may be. The oldest is this one, since this time (milliseconds since 1970),
    /// requested by this origin; `inFlight` are in flight, and `limit` may be.
    case executing(ExecutionID, since: Int64, by: Origin, inFlight: Int = 1, limit: Int = 1)
    /// Its condition is false, or failed with this error.
    case condition(error: String?)
    /// A configured condition does not hold.
    case unmet(UnmetCondition)
    /// An operator has switched it off.
    case manual(ManualSwitch)
    /// The host is stopping.
    case stopping
}

/// A configured condition that does not hold: one over a reactor's state, or another one.
public struct UnmetCondition: Sendable, Hashable {
    /// The name of the reactor; nil for another condition.
    public let reactor: String?
    /// The jq program over the reactor's state; nil for another condition.
    public let when: String?
    /// Which parts of another condition do not hold, in words and without values; nil for one over a reactor's state.
    public let text: String?
    /// Why the condition could not be evaluated, for users who may subscribe to the reactor; nil if it was.
    public var error: String?
    /// Why the condition could not be evaluated, for all other users: without values of the state; nil if it was.
    public var publicError: String?

    /// A condition that was evaluated unless `error` is given.
    ///
    /// - Parameters:
    ///   - reactor: the reactor whose state is evaluated.
    ///   - when: the condition, a jq program.
    ///   - error: why the condition could not be evaluated.
    ///   - publicError: `error` without values of the state.
    public init(reactor: String, when: String, error: String? = nil, publicError: String? = nil) {
        self.reactor = reactor
        self.when = when
        text = nil
        self.error = error
        self.publicError = publicError
    }

    /// Another condition.
    ///
    /// - Parameter text: which of its parts do not hold, without values.
    public init(text: String) {
        reactor = nil
        when = nil
        self.text = text
    }
}

/// The level `enabled`.
public struct Enabled: Sendable, Hashable {
    /// Why the action is disabled; nil if it is enabled.
    public let reason: DisabledReason?

    /// Whether the action takes input.
    public var isEnabled: Bool { reason == nil }

    /// The reactor whose values the reason may have; nil if it has none.
    public var revealedReactor: String? {
        guard case .unmet(let condition)? = reason, condition.error != condition.publicError else { return nil }
        return condition.reactor
    }

    /// The level as a user sees it who may not subscribe to `revealedReactor`.
    public var withoutValues: Enabled {
        guard case .unmet(var condition)? = reason else { return self }
        condition.error = condition.publicError
        return Enabled(reason: .unmet(condition))
    }
}

/// The levels of an action at one moment.
public struct ActionLevels: Sendable {
    /// Whether work is in flight.
    public let executing: Bool
    /// Whether the action takes input, and why not.
    public let enabled: Enabled
    /// The number of queued inputs.
    public let queued: Int
    /// Executions in flight, oldest first.
    public let executions: [ExecutionRecord]

    /// These levels with another view of `enabled`.
    public func with(_ enabled: Enabled) -> ActionLevels {
        ActionLevels(executing: executing, enabled: enabled, queued: queued, executions: executions)
    }
}
