public import RxRecords
public import RxAction

/// Why an action takes no input now.
public enum DisabledReason: Sendable, Hashable {
    /// Work is in flight: which, since when (milliseconds since 1970), asked for by whom.
    case executing(ExecutionID, since: Int64, by: Origin)
    /// Its condition is false, or failed with this error.
    case condition(error: String?)
    /// What it depends on in a reactor's state does not hold.
    case unmet(UnmetCondition)
    /// Somebody has switched it off.
    case manual(ManualSwitch)
    case stopping
}

/// A condition over a reactor's state, as it was asked for last.
public struct UnmetCondition: Sendable, Hashable {
    public let reactor: String
    /// The jq program.
    public let when: String
    /// Why nobody knows whether it holds, if that is so.
    public var error: String?

    public init(reactor: String, when: String, error: String? = nil) {
        self.reactor = reactor
        self.when = when
        self.error = error
    }
}

/// The level `enabled`: nil reason means enabled.
public struct Enabled: Sendable, Hashable {
    public let reason: DisabledReason?

    public var isEnabled: Bool { reason == nil }
}

/// The levels of an action at one moment.
public struct ActionLevels: Sendable {
    public let executing: Bool
    public let enabled: Enabled
    /// How many inputs wait their turn.
    public let queued: Int
    /// Executions in flight, oldest first.
    public let executions: [ExecutionRecord]
}
