public import RxStore
public import RxJSON

/// What a rehearsal tells while it goes on.
public enum Finding: Sendable {
    case difference(Difference)
    /// Here the history has a break, and it goes on from the state that was kept.
    case restart(revision: UInt64, KeptStep.Cause)
}

/// An action, or a kept mutation, that comes to another state than it did.
public struct Difference: Sendable {
    public enum Trouble: Sendable, Hashable {
        case fault(ReactorFault)
        /// The action is none that the reactor takes any more.
        case refused(InputFault)
    }

    /// The first one whose state is another.
    public internal(set) var revision: UInt64
    /// Nil for a mutation of a merged stream, and for an initial state.
    public internal(set) var action: RawJSON?
    public internal(set) var kept: [RawJSON] = []
    /// The mutations that the action leads to now; nil where the kept ones were reduced.
    public internal(set) var now: [RawJSON]?
    /// What went wrong first.
    public internal(set) var trouble: Trouble?
    /// From the state that was kept to the one that it is now, after all of them.
    public internal(set) var patch = JSONPatch()

    init(at revision: UInt64, action: RawJSON? = nil, trouble: Trouble? = nil) {
        self.revision = revision
        self.action = action
        self.trouble = trouble
    }
}

/// What a rehearsal came to.
public struct RehearsalSummary: Sendable, Hashable {
    public let reactor: String
    /// The revision whose state it began with.
    public internal(set) var from: UInt64 = 0
    /// The last one that was taken: later than was asked for, if an action led to more.
    public internal(set) var to: UInt64 = 0
    /// Dispatched anew.
    public internal(set) var actions = 0
    /// Kept mutations that were reduced without that.
    public internal(set) var fromRecord = 0
    /// Of both, those that came to the same states, and
    public internal(set) var same = 0
    /// to others; the initial state is one, if it is another.
    public internal(set) var different = 0
    /// Of the same, actions that led to other mutations.
    public internal(set) var otherMutations = 0
    /// Breaks in the history.
    public internal(set) var breaks = 0
    public internal(set) var firstDifference: UInt64?

    init(reactor: String) { self.reactor = reactor }
}
