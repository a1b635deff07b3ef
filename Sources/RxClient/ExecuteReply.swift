public import RxJSON

/// What `action.execute` with a stream answers at once.
public struct ExecuteReply: Sendable, Hashable {
    /// What became of the input.
    public enum Disposition: String, Sendable, CaseIterable {
        case started
        /// It waits for its turn.
        case queued
        /// Nothing was started: the execution was in flight already, or has the same key.
        case joined
    }

    /// The execution's id.
    public let execution: String
    /// Nil: one that this release does not know.
    public let disposition: Disposition?

    /// Nil if the reply names no execution.
    public init?(_ reply: RawJSON) {
        let value = reply.value()
        guard let execution = value["execution"]?.string else { return nil }
        self.execution = execution
        disposition = value["disposition"]?.string.flatMap(Disposition.init(rawValue:))
    }
}
