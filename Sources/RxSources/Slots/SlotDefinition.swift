public import RxTime

/// A time source as it is configured.
public struct SlotDefinition: Sendable {
    /// The default of `missed-window`: a day, in microseconds.
    public static let defaultWindow: Int64 = 86_400_000_000

    /// When it has slots.
    public var rule: SlotRule
    /// Whose clock decides.
    public var zone: SlotZone
    /// Which slots are emitted that came due while they could not be.
    public var missed: MissedPolicy
    /// How old such a slot may be, in microseconds.
    public var window: Int64
    /// How long after a slot it is emitted.
    public var jitter: Jitter

    /// Creates a definition; the defaults are those of the configuration.
    public init(
        _ rule: SlotRule, zone: SlotZone, missed: MissedPolicy = .once, window: Int64 = SlotDefinition.defaultWindow,
        jitter: Jitter = Jitter(below: 0, machine: "", stream: "")
    ) {
        self.rule = rule
        self.zone = zone
        self.missed = missed
        self.window = window
        self.jitter = jitter
    }
}
