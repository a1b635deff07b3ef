public import RxJSON
public import RxRecords

/// A stream of the configuration, as the server sees it. `RxBindings` implements it.
public protocol HostedStream: AnyObject, Sendable {
    /// Unique among actions, reactors, and streams.
    var name: String { get }
    /// What the configuration grants beyond the default; nil for nothing.
    var access: Access? { get }
    /// The actions, reactors, and streams that it reads or gives elements to: whoever has a right on all of them has
    /// it on the stream.
    var related: Set<String> { get }
    /// Whether the stream reads what the machine has, such as files or the journal: then only those with the right to
    /// manage the daemon have rights on it by default.
    var readsMachine: Bool { get }
    /// Whether clients may send to it.
    var isSubject: Bool { get }
    /// Whether its events are to survive a restart.
    var isPersistent: Bool { get }
    /// The places whose output can be tapped: `0` for the source, and those of its steps, such as `2.1`.
    var places: [String] { get }

    /// What `stream.list` reports of it.
    var summary: JSONObject { get }
    /// What `stream.describe` reports of it.
    var details: JSONObject { get }
    /// What the stream consists of, for a picture, with its figures: the member `graph` of `stream.list`.
    func graph(for view: StreamView) -> JSONObject

    /// The current values of a level: one, or one for each unit; nil for another stream.
    var currentValues: [RawJSON]? { get }

    /// Emits an element in place of the source.
    ///
    /// - Parameters:
    ///   - value: the element; nil for the element of a slot now if the source is a schedule, and
    ///     otherwise for an object with `fired`, the time.
    ///   - causes: who requested it.
    func inject(_ value: RawJSON?, causes: Causes)
    /// Has each element that leaves a step passed on, with its time in milliseconds since 1970; nil ends that. The
    /// stream calls `body` in its turns, which must not wait.
    func tap(_ place: String, _ body: (@Sendable (RawJSON, Int64) -> Void)?)
    /// The actions and reactors that it gives elements to, and the actions that its steps execute.
    var targets: [String] { get }
    /// The next times of its schedule in milliseconds since 1970, at most `count`; none if it has no schedule.
    func nextTimes(_ count: Int) -> [Int64]
    /// Why it is disabled, in a sentence without a period; nil if it is enabled.
    var disabledReason: String? { get }
    /// Whether it has ended itself, as after `take`: then it takes no elements.
    var hasEnded: Bool { get }
    /// Switches it off, or on again with nil; that also has every `on` that was paused for a loop continue.
    func set(_ manual: ManualSwitch?)
}

extension HostedStream {
    /// None.
    public var currentValues: [RawJSON]? { nil }
    /// It goes on.
    public var hasEnded: Bool { false }
    /// None.
    public func nextTimes(_ count: Int) -> [Int64] { [] }
}
