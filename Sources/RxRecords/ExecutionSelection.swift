public import RxAction

/// The executions that a list is to contain. By default, all of them.
public struct ExecutionSelection: Sendable {
    /// The nearest cause of an execution.
    public enum Requester: Sendable, Hashable {
        /// A client of this user.
        case user(UInt32)
        /// A rule of this reactor.
        case reactor(String)
        /// This stream.
        case stream(String)
    }

    /// Only executions of these actions; nil for all.
    public var actions: Set<String>?
    /// Only executions in these states; nil for all.
    public var states: Set<ExecutionState>?
    /// Only executions that were accepted at this time or later, in milliseconds since 1970. Their ids decide, which
    /// have the time and are in its order.
    public var since: Int64?
    /// Only executions that were accepted before this time, in milliseconds since 1970.
    public var until: Int64?
    /// Only executions that are newer than this one.
    public var after: ExecutionID?
    /// Only executions that are older than this one.
    public var before: ExecutionID?
    /// Only executions that this one requested.
    public var by: Requester?
    /// Only executions with this text in their input, their failure, or what is kept of their output. `contains` does
    /// not look at output.
    public var text: SearchText?
    /// Only executions that the caller may see; nil for all.
    public var scope: ExecutionScope?

    /// All executions.
    public init() {}

    /// Whether an execution is among them.
    public func contains(_ record: ExecutionRecord) -> Bool {
        if let actions, !actions.contains(record.action) { return false }
        if let states, !states.contains(record.state) { return false }
        if let since, record.id.milliseconds < since { return false }
        if let until, record.id.milliseconds >= until { return false }
        if let after, record.id <= after { return false }
        if let before, record.id >= before { return false }
        if let by, !by.requested(record) { return false }
        if let scope, !scope.contains(record) { return false }
        return text?.isIn(record) ?? true
    }
}

extension ExecutionSelection.Requester {
    fileprivate func requested(_ record: ExecutionRecord) -> Bool {
        switch (self, record.by) {
        case (.user(let uid), .peer(let other, gid: _, pid: _)): uid == other
        case (.reactor(let name), .rule(let other, rule: _)): name == other
        case (.stream(let name), .stream(let other, scheduled: _)): name == other
        case (.user, _), (.reactor, _), (.stream, _): false
        }
    }
}

/// Which executions of a selection the first page of a list has.
public enum ExecutionOrder: Sendable {
    case newestFirst, oldestFirst
}
