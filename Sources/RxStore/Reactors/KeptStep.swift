public import RxRecords
public import RxJSON

/// The step to one revision of a reactor, as it is stored.
public struct KeptStep: Sendable, Hashable {
    /// How the state changed.
    public enum Change: Sendable, Hashable {
        /// A mutation was reduced.
        case reduced(Reduction)
        /// Another state took the place of the previous one. The snapshot of this revision has it.
        case replaced(Cause)
    }

    /// A mutation, and what it did to the state.
    public struct Reduction: Sendable, Hashable {
        /// The origin of the action; nil for a mutation of a merged stream.
        public var by: Origin?
        /// The action whose mutation it is; nil for a mutation of a merged stream.
        public var action: RawJSON?
        /// The mutation.
        public var mutation: RawJSON
        /// The patch (RFC 6902) from the state of the previous revision.
        public var patch: RawJSON
        /// The revision of the first mutation of the same action, if the action may be dispatched again.
        public var start: UInt64?

        /// A reduction whose action may not be dispatched again.
        public init(by: Origin?, action: RawJSON?, mutation: RawJSON, patch: RawJSON) {
            self.by = by
            self.action = action
            self.mutation = mutation
            self.patch = patch
        }
    }

    /// Why another state took the place of the previous one.
    public enum Cause: String, Sendable, CaseIterable {
        /// The reactor's definition has changed.
        case definition
        /// Steps could not be written: the revisions since the previous step are lost.
        case loss
    }

    /// The revision after the step.
    public var revision: UInt64
    /// Milliseconds since 1970.
    public var time: Int64
    /// How the state changed.
    public var change: Change

    /// The step to `revision`.
    public init(revision: UInt64, time: Int64, _ change: Change) {
        self.revision = revision
        self.time = time
        self.change = change
    }
}

/// A state of a reactor, as it is stored.
public struct KeptSnapshot: Sendable, Hashable {
    /// The revision of the state.
    public let revision: UInt64
    /// Milliseconds since 1970.
    public let time: Int64
    /// The fingerprint of the definition that made it.
    public let fingerprint: String
    /// The whole state.
    public let state: RawJSON
}

/// The stored reactor at the start of a host.
public struct KeptReactor: Sendable {
    /// The newest snapshot; the steps after it lead to `revision`.
    public let snapshot: KeptSnapshot
    /// The newest revision.
    public let revision: UInt64
    /// The revision of the oldest snapshot: the history begins after it.
    public let oldest: UInt64
}

/// A part of a reactor's history.
public struct ReactorPage: Sendable {
    /// The steps, oldest first.
    public let steps: [KeptStep]
    /// Whether there are more in the range: beyond the limit, or beyond the bytes that are read at once.
    public let hasMore: Bool
}

/// The state of a revision, built from a snapshot and patches.
public struct KeptState: Sendable, Hashable {
    /// The revision of the state.
    public let revision: UInt64
    /// The fingerprint of the definition that made it.
    public let fingerprint: String
    /// The whole state.
    public let value: JSONValue
}
