public import RxAction
public import RxJSON
public import RxStreams
public import RxTime

/// What tests test: the streams of a configuration, and what they are bound to.
public struct TestedConfiguration: Sendable {
    /// The streams, those of inline sources included.
    public var streams: [StreamDefinition]
    /// What the streams are bound to.
    public var bindings: [BindingDefinition]
    /// How actions treat an input that comes while one is in flight; `reject` for those that are not listed.
    public var overlaps: [String: Overlap]
    /// What is wrong with an input of an action, in a sentence; nil if its schema accepts the input.
    public var inputFault: @Sendable (_ action: String, _ input: RawJSON) -> String?
    /// The reactors by name.
    public var reactors: [String: TestedReactor]
    /// Where the rules of time zones come from.
    public var zones: ZoneFiles
    /// The zone of tests and sources that name none.
    public var zone: TimeZoneRules

    /// Creates a configuration.
    public init(
        streams: [StreamDefinition], bindings: [BindingDefinition] = [], overlaps: [String: Overlap] = [:],
        inputFault: @escaping @Sendable (_ action: String, _ input: RawJSON) -> String? = { _, _ in nil },
        reactors: [String: TestedReactor] = [:], zones: ZoneFiles = .system(), zone: TimeZoneRules = .utc
    ) {
        self.streams = streams
        self.bindings = bindings
        self.overlaps = overlaps
        self.inputFault = inputFault
        self.reactors = reactors
        self.zones = zones
        self.zone = zone
    }
}
