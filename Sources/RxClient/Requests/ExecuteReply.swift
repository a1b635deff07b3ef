public import RxJSON

/// The reply to `action.execute` with a stream, which comes before the work ends.
public struct ExecuteReply: Sendable, Hashable {
    /// What the daemon did with the input.
    public enum Disposition: String, Sendable, CaseIterable {
        /// An execution was started.
        case started
        /// The execution waits for its turn.
        case queued
        /// The execution waits for its time.
        case scheduled
        /// No execution was started: one was in flight already, or has the same key.
        case joined
    }

    /// The execution's id.
    public let execution: String
    /// What the daemon did; nil for a disposition that this release does not know.
    public let disposition: Disposition?

    /// Reads the daemon's reply; nil if it names no execution.
    public init?(_ reply: RawJSON) {
        let value = reply.value()
        guard let execution = value["execution"]?.string else { return nil }
        self.execution = execution
        disposition = value["disposition"]?.string.flatMap(Disposition.init(rawValue:))
    }
}
