public import RxStore
public import RxJSON

/// A finding of a rehearsal, reported while it runs.
public enum Finding: Sendable {
    /// A step leads to another state than it did.
    case difference(Difference)
    /// The history has a break here; the rehearsal goes on from the stored state.
    case restart(revision: UInt64, KeptStep.Cause)
}

/// An action, or a stored mutation, that leads to another state than it did.
public struct Difference: Sendable {
    /// Why there is no new state.
    public enum Trouble: Sendable, Hashable {
        /// The reactor failed.
        case fault(ReactorFault)
        /// The reactor does not accept the action any more.
        case refused(InputFault)
    }

    /// The first revision whose state differs.
    public internal(set) var revision: UInt64
    /// The action; nil for a mutation of a merged stream, and for an initial state.
    public internal(set) var action: RawJSON?
    /// The stored mutations.
    public internal(set) var kept: [RawJSON] = []
    /// The mutations that the action leads to now; nil if the stored ones were reduced.
    public internal(set) var now: [RawJSON]?
    /// The first failure, if any.
    public internal(set) var trouble: Trouble?
    /// The patch from the stored state to the new one, after all mutations.
    public internal(set) var patch = JSONPatch()

    init(at revision: UInt64, action: RawJSON? = nil, trouble: Trouble? = nil) {
        self.revision = revision
        self.action = action
        self.trouble = trouble
    }
}

/// The result of a rehearsal.
public struct RehearsalSummary: Sendable, Hashable {
    /// The name of the reactor.
    public let reactor: String
    /// The revision whose state it began with.
    public internal(set) var from: UInt64 = 0
    /// The last revision that was rehearsed: later than requested if an action led to more mutations.
    public internal(set) var to: UInt64 = 0
    /// The number of actions that were dispatched again.
    public internal(set) var actions = 0
    /// The number of stored mutations that were reduced without their action.
    public internal(set) var fromRecord = 0
    /// How many of both led to the same states.
    public internal(set) var same = 0
    /// How many of both led to other states; another initial state counts as one.
    public internal(set) var different = 0
    /// How many actions led to the same state by other mutations.
    public internal(set) var otherMutations = 0
    /// The number of breaks in the history.
    public internal(set) var breaks = 0
    /// The first revision whose state differs; nil if none does.
    public internal(set) var firstDifference: UInt64?

    init(reactor: String) { self.reactor = reactor }
}
