internal import Rx

/// What a host has under a name: something with levels and events that clients can subscribe to.
// Unchecked: `feed` is guarded by the event log's lock.
public class Hosted: @unchecked Sendable {
    public let name: String
    final let services: HostServices
    // Its lock keeps accesses from overlapping too.
    @exclusivity(unchecked) final var feed: Feed

    /// Its events for those who read them, beside the levels that each kind has of its own.
    struct Feed {
        var watchers = 0
        /// The newest events.
        let ring: EventRing
        /// Whether the name is no longer configured.
        var isRemoved = false
    }

    init(name: String, _ services: HostServices) {
        self.name = name
        self.services = services
        feed = Feed(ring: EventRing(services.log.ringLimits))
    }

    final var log: EventLog { services.log }

    // Each kind says these for itself.

    /// Who may do what with it.
    public var access: Access { preconditionFailure("abstract") }

    /// What a snapshot says of it. With the log's lock held.
    var snapshot: HostedLevels { preconditionFailure("abstract") }

    /// The levels that were told after `cursor`, as they are now, oldest first. With the log's lock held.
    func levels(_ kinds: EventKinds, after cursor: UInt64) -> [HostEvent] { preconditionFailure("abstract") }

    /// A level has changed. With the log's lock held.
    func mark(_ change: HostEvent.Change, _ mark: Mark) { preconditionFailure("abstract") }

    /// The cursor of the first event of what it has in flight; nil if nothing is, `.expired` if that is not kept any more.
    /// With the log's lock held.
    func startOfFlight() -> FlightStart? { preconditionFailure("abstract") }

    enum FlightStart {
        case kept(UInt64)
        case expired
    }
}

/// The levels of something hosted, at one moment.
public enum HostedLevels: Sendable {
    case action(ActionLevels)
    case reactor(ReactorLevels)
}
