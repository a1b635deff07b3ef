/// Who has disabled an action, when (milliseconds since 1970), and why if they said.
public struct ManualSwitch: Sendable, Hashable {
    public let by: Origin
    public let since: Int64
    public let reason: String?

    public init(by: Origin, since: Int64, reason: String?) {
        self.by = by
        self.since = since
        self.reason = reason
    }
}
