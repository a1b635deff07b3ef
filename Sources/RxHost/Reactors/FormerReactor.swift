internal import RxRecords

/// A reactor that is no longer configured. It has no state; readers of all reactors receive the events that are kept
/// of it.
// Unchecked as its superclass is: its own field is constant.
public final class FormerReactor: Hosted, @unchecked Sendable {
    private let former: Access

    /// A reactor of which only the log of an earlier host knows: only those who may do everything may see it.
    init(_ name: String, _ limits: CatchUpLimits) {
        former = .nobody
        super.init(name: name, .reactor, EventRing(limits), isLogged: true)
    }

    /// What is left of a reactor that was removed.
    static func left(by reactor: HostedReactor) -> FormerReactor {
        let access = reactor.access
        return reactor.log.read { _ in FormerReactor(of: reactor, access) }
    }

    /// With the log's lock held.
    private init(of reactor: HostedReactor, _ access: Access) {
        former = access
        super.init(name: reactor.name, .reactor, reactor.ring, isLogged: reactor.feed.isLogged)
        feed = reactor.feed
        feed.isRemoved = true
    }

    /// What it was, or nobody's if an earlier host had the reactor.
    public override var access: Access { former }

    override var snapshot: HostedLevels { .nothing }

    override func levels(_ kinds: EventKinds, after cursor: UInt64) -> [HostEvent] { [] }

    override func mark(_ change: HostEvent.Change, _ mark: Mark) {}

    override func startOfFlight() -> FlightStart? { nil }
}
