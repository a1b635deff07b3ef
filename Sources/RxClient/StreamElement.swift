/// What a reader of a stream is given.
///
/// A gap is a case of its own, so that nobody who reads events can overlook that some are missing. It comes only from a
/// client that reconnects. What the daemon or this client had to drop because the reader was slow is an event on `lag`.
public enum StreamElement: Sendable {
    case event(StreamEvent)
    /// The connection was lost, and the daemon could not go on where it ended: it does not keep events that long, or it
    /// was started anew. What came after `gap.after` is missing, nobody knows how much; `gap.snapshot` has the levels from
    /// which the next events go on.
    case gap(Reconnection)

    /// Nil for a gap.
    public var event: StreamEvent? {
        guard case .event(let event) = self else { return nil }
        return event
    }
}
