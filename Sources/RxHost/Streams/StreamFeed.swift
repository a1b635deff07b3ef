internal import RxAction

/// The events of a stream: its elements, errors, firings, and drops. It stays when a reload changes the stream, so that
/// its subscriptions stay too.
// Unchecked as its superclass is: it has no fields of its own.
public class StreamFeed: Hosted, @unchecked Sendable {
    init(_ name: String, _ limits: CatchUpLimits) {
        super.init(name: name, .stream, EventRing(limits), isLogged: false)
    }

    /// Nobody but the owner: the rights of clients follow from what the stream is connected to. See
    /// `HostedStream.related`.
    public override var access: Access { .nobody }

    override var snapshot: HostedLevels { .nothing }

    override func levels(_ kinds: EventKinds, after cursor: UInt64) -> [HostEvent] { [] }

    override func mark(_ change: HostEvent.Change, _ mark: Mark) {}

    override func startOfFlight() -> FlightStart? { nil }
}
