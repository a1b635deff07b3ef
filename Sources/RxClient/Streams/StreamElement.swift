/// An element of an `EventStream`.
///
/// A gap is a case of its own, so that a reader cannot overlook missing events. Only a client that reconnects has gaps.
/// Events that the daemon or this client dropped because the reader was slow are counted by an event on the channel
/// `lag`.
public enum StreamElement: Sendable {
    /// An event, in order.
    case event(StreamEvent)
    /// The connection was lost, and the daemon could not continue where it ended: it does not keep events that long, or
    /// it was restarted. An unknown number of events after `gap.after` is missing; the next events build on the levels
    /// in `gap.snapshot`.
    case gap(Reconnection)

    /// The event; nil for a gap.
    public var event: StreamEvent? {
        guard case .event(let event) = self else { return nil }
        return event
    }
}
