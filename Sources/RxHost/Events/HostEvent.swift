public import RxRecords
public import RxAction
public import RxJSON

/// One change of what clients can see, in the one order of the event log.
public struct HostEvent: Sendable {
    /// The change itself.
    public enum Change: Sendable {
        /// The work, or a stream, yielded an element.
        case element(RawJSON)
        /// An execution ended with this error, which its record has, too.
        case failure(ExecutionError, of: ExecutionRecord)
        /// An input was refused because the action is not enabled.
        case refusal(Enabled)
        /// An input was refused because so many are queued already.
        case queueFull(limit: Int)
        /// The action's condition failed; it stays disabled.
        case conditionFailure(String)
        /// The level `executing` changed.
        case executing(Bool)
        /// The level `enabled` or its reason changed.
        case enabled(Enabled)
        /// The state of an execution changed.
        case execution(ExecutionRecord)
        /// A mutation was reduced.
        case state(ReactorRevision)
        /// Something failed in a reactor, which lives on.
        indirect case fault(ReactorFault)
        /// The outcome of an element at an `on` of a stream.
        case firing(RawJSON)
        /// A program or a step of a stream failed: an object with `message` and what is known of the step.
        case streamFailure(RawJSON)
        /// A stream had to drop elements.
        case drops(StreamDrops)
        /// The name is configured now, or again.
        case added
        /// The name has another definition from now on.
        case changed
        /// The name is no longer configured.
        case removed
    }

    /// The number of the event: grows over the whole host, and is never used twice.
    public let cursor: UInt64
    /// Milliseconds since 1970.
    public let time: Int64
    /// The action, reactor, or stream that changed.
    public let source: Hosted
    /// The execution that changed, if one did.
    public let execution: ExecutionID?
    /// The number of the event among those of its kind in its execution, from 1; 0 without an execution.
    let ordinal: Int
    /// The change itself.
    public let change: Change
    /// Approximate bytes of the values that the change refers to: added up once, because all who keep the event or send
    /// it need them.
    package let valueBytes: Int

    init(cursor: UInt64, time: Int64, source: Hosted, execution: ExecutionID?, ordinal: Int, change: Change) {
        self.cursor = cursor
        self.time = time
        self.source = source
        self.execution = execution
        self.ordinal = ordinal
        self.change = change
        valueBytes = change.valueBytes
    }

    /// The kind, by which readers choose; none for events about the name itself, which every reader receives.
    public var kind: EventKinds {
        switch change {
        case .element: .elements
        case .failure, .refusal, .queueFull, .conditionFailure, .fault, .streamFailure: .errors
        case .firing: .firings
        case .drops: .drops
        case .state: .state
        case .executing: .executing
        case .enabled: .enabled
        case .execution: .executions
        case .added, .changed, .removed: []
        }
    }

    /// The approximate memory of an event beside the bytes it refers to.
    static let ownCost = 192

    /// Approximate bytes of memory: of the values it refers to, and `ownCost` for itself.
    var cost: Int { valueBytes + HostEvent.ownCost }
}

extension HostEvent.Change {
    /// Approximate bytes of the values that it refers to.
    fileprivate var valueBytes: Int {
        switch self {
        case .element(let value), .firing(let value), .streamFailure(let value): value.utf8.count
        case .failure(let error, _): error.cost
        case .execution(let record):
            record.causes.cost + (record.input?.utf8.count ?? 0) + (record.error?.cost ?? 0)
                + (record.attempts?.failure?.error.cost ?? 0)
        case .conditionFailure(let message): message.utf8.count
        case .fault(let fault): fault.message.utf8.count + (fault.input?.utf8.count ?? 0)
        // Bounded by its reactor.
        case .state: 0
        case .drops(let drops): drops.step.utf8.count
        case .refusal, .queueFull, .executing, .enabled, .added, .changed, .removed: 0
        }
    }
}
