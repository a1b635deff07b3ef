public import RxRecords
public import RxJSON

/// What led to a revision of a reactor, as it is kept.
public struct KeptStep: Sendable, Hashable {
    public enum Change: Sendable, Hashable {
        /// A mutation was reduced.
        case reduced(Reduction)
        /// Another state was put in the place of the one before. It is in the snapshot of this revision.
        case replaced(Cause)
    }

    public struct Reduction: Sendable, Hashable {
        /// The action whose mutation it is, and who gave it; nil for a mutation of a merged stream.
        public var by: Origin?
        public var action: RawJSON?
        public var mutation: RawJSON
        /// RFC 6902, from the state of the revision before.
        public var patch: RawJSON
        /// The revision of the first mutation that `mutate` made of the same action, if it may be asked again.
        public var start: UInt64?

        public init(by: Origin?, action: RawJSON?, mutation: RawJSON, patch: RawJSON) {
            self.by = by
            self.action = action
            self.mutation = mutation
            self.patch = patch
        }
    }

    public enum Cause: String, Sendable, CaseIterable {
        /// The reactor's definition has changed.
        case definition
        /// Steps could not be written; the revisions since the step before are those that were lost.
        case loss
    }

    public var revision: UInt64
    /// Milliseconds since 1970.
    public var time: Int64
    public var change: Change

    public init(revision: UInt64, time: Int64, _ change: Change) {
        self.revision = revision
        self.time = time
        self.change = change
    }
}

/// A state of a reactor, as it is kept.
public struct KeptSnapshot: Sendable, Hashable {
    public let revision: UInt64
    /// Milliseconds since 1970.
    public let time: Int64
    /// Of the definition that made it.
    public let fingerprint: String
    public let state: RawJSON
}

/// What there is of a reactor at start.
public struct KeptReactor: Sendable {
    /// The newest; the steps after it lead to `revision`.
    public let snapshot: KeptSnapshot
    /// The newest revision.
    public let revision: UInt64
    /// The oldest snapshot: the history begins after it.
    public let oldest: UInt64
}

/// A part of a reactor's history.
public struct ReactorPage: Sendable {
    /// Oldest first.
    public let steps: [KeptStep]
    /// Whether there are more that were asked for: beyond the limit, or beyond what is read at once.
    public let hasMore: Bool
}

/// The state of a revision, put together.
public struct KeptState: Sendable, Hashable {
    public let revision: UInt64
    /// Of the definition that made it.
    public let fingerprint: String
    public let value: JSONValue
}
