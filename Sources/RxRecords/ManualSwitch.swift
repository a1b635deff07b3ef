/// A switch that disables an action until it is taken back.
public struct ManualSwitch: Sendable, Hashable {
    /// Who disabled the action.
    public let by: Origin
    /// When, in milliseconds since 1970.
    public let since: Int64
    /// Why, if a reason was given.
    public let reason: String?

    /// A switch that was set at `since`.
    public init(by: Origin, since: Int64, reason: String?) {
        self.by = by
        self.since = since
        self.reason = reason
    }
}
