public import RxRecords
public import RxAction
public import RxJSON

/// One change of what clients can see, in the one order of the event log.
public struct HostEvent: Sendable {
    public enum Change: Sendable {
        case element(RawJSON)
        /// An execution ended by this error.
        case failure(ExecutionError)
        /// An input was refused because the action is not enabled.
        case refusal(Enabled)
        /// An input was refused because so many wait already.
        case queueFull(limit: Int)
        /// The action's condition failed; it stays disabled.
        case conditionFailure(String)
        case executing(Bool)
        case enabled(Enabled)
        // Apart, because it is large and all others are small.
        indirect case execution(ExecutionRecord)
        /// A mutation was reduced.
        case state(ReactorRevision)
        /// Something failed in a reactor, which lives on.
        indirect case fault(ReactorFault)
        /// The name is configured now, or again.
        case added
        /// Another definition holds from now on.
        case changed
        /// The name is no longer configured.
        case removed
    }

    /// Counts changes of the whole host; grows, and is never used twice.
    public let cursor: UInt64
    /// Milliseconds since 1970.
    public let time: Int64
    public let source: Hosted
    public let execution: ExecutionID?
    /// Which it is of its kind in its execution, from 1; 0 without an execution.
    let ordinal: Int
    public let change: Change

    public var kind: EventKinds {
        switch change {
        case .element: .elements
        case .failure, .refusal, .queueFull, .conditionFailure, .fault: .errors
        case .state: .state
        case .executing: .executing
        case .enabled: .enabled
        case .execution: .executions
        case .added, .changed, .removed: []
        }
    }

    /// Bytes of memory, about: what it refers to, and `EventRing.costPerEvent` for itself.
    var cost: Int {
        let own =
            switch change {
            case .element(let element): element.utf8.count
            case .failure(let error): error.cost
            case .execution(let record): (record.input?.utf8.count ?? 0) + (record.error?.cost ?? 0)
            case .conditionFailure(let message): message.utf8.count
            case .fault(let fault): fault.message.utf8.count + (fault.input?.utf8.count ?? 0)
            // What it holds is bounded by its reactor.
            case .state: 0
            case .refusal, .queueFull, .executing, .enabled, .added, .changed, .removed: 0
            }
        return own + EventRing.costPerEvent
    }
}

/// Kinds of events, as far as readers choose among them.
public struct EventKinds: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let elements = EventKinds(rawValue: 1)
    public static let errors = EventKinds(rawValue: 2)
    public static let executions = EventKinds(rawValue: 4)
    public static let executing = EventKinds(rawValue: 8)
    public static let enabled = EventKinds(rawValue: 16)
    public static let state = EventKinds(rawValue: 32)
    /// Of which only the newest counts; the others are kept and counted.
    public static let levels: EventKinds = [.executing, .enabled, .state]
    public static let all: EventKinds = [.elements, .errors, .executions, .executing, .enabled, .state]
}

/// A number for each kind that is kept.
struct KindCounts: Sendable, Hashable {
    var elements: UInt64 = 0
    var errors: UInt64 = 0
    var executions: UInt64 = 0

    mutating func update(_ kind: EventKinds, _ body: (inout UInt64) -> Void) {
        switch kind {
        case .elements: body(&elements)
        case .errors: body(&errors)
        case .executions: body(&executions)
        default: break
        }
    }

    func of(_ kinds: EventKinds, _ body: (UInt64) -> Void) {
        if kinds.contains(.elements) { body(elements) }
        if kinds.contains(.errors) { body(errors) }
        if kinds.contains(.executions) { body(executions) }
    }

    func sum(of kinds: EventKinds) -> UInt64 {
        var sum: UInt64 = 0
        of(kinds) { sum += $0 }
        return sum
    }

    func newest(of kinds: EventKinds) -> UInt64 {
        var newest: UInt64 = 0
        of(kinds) { newest = max(newest, $0) }
        return newest
    }
}

extension ExecutionError {
    /// Bytes of memory beside its own, about.
    fileprivate var cost: Int {
        switch self {
        case .failed(let failure): failure.message.utf8.count + JSONValue.object(failure.facts).cost
        case .timedOut, .cancelled, .superseded, .stopped, .postponed, .interrupted: 0
        }
    }
}

extension JSONValue {
    fileprivate var cost: Int {
        switch self {
        case .null, .bool, .number: 16
        case .string(let text): 16 + text.utf8.count
        case .array(let values): values.reduce(16) { $0 + $1.cost }
        case .object(let object): object.reduce(16) { $0 + 16 + $1.key.utf8.count + $1.value.cost }
        }
    }
}
