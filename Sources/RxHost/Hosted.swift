internal import Rx

/// An action, a reactor, or a stream: a name with levels and events that clients can subscribe to.
// Unchecked: `feed` is guarded by the event log's lock.
public class Hosted: @unchecked Sendable {
    /// Unique among the actions, reactors, and streams of its host.
    public let name: String
    /// Whether it is an action, a reactor, or a stream.
    public let kind: HostedKind
    /// The newest events. Guarded by the event log's lock.
    // Not a part of `feed`: it would be retained for each event.
    final let ring: EventRing
    // Its lock keeps accesses from overlapping too.
    @exclusivity(unchecked) final var feed: Feed

    /// The events of a name, and who reads them. Each kind has levels of its own.
    struct Feed {
        /// The number of readers that watch the name.
        var watchers = 0
        /// Whether the store keeps its errors, and the course of its executions; of a stream, all events.
        private(set) var isLogged: Bool
        private let kind: HostedKind
        /// The last event of earlier hosts that may be missing because the store was not to keep it.
        private(set) var lost = Mark()
        /// Since the store keeps the events: the last ones of this host, of each kind, that it was not to keep.
        private(set) var unkept = KindCounts()
        /// The newest event when the store ceased to keep the events.
        private var unloggedSince: UInt64 = 0
        /// Whether `begin` was called.
        private(set) var hasBegun = false
        /// Whether the name is no longer configured.
        var isRemoved = false

        init(_ kind: HostedKind, isLogged: Bool) {
            self.kind = kind
            self.isLogged = isLogged
        }

        /// The name is there for the first time in this host.
        ///
        /// - Parameters:
        ///   - lost: the last event of earlier hosts that may be missing.
        ///   - cursor: the newest event of the log.
        mutating func begin(isLogged: Bool, without lost: Mark, at cursor: UInt64) {
            (self.isLogged, self.lost, unloggedSince, hasBegun) = (isLogged, lost, cursor, true)
        }

        /// Has the store keep its events from now on, or no longer.
        ///
        /// - Parameters:
        ///   - cursor: the newest event of the log.
        ///   - published: the newest events of each kind.
        mutating func setLogged(_ isLogged: Bool, at cursor: UInt64, _ published: KindCounts) {
            if isLogged {
                for kind in EventKinds.kept { lack(kind, published.newest(of: kind)) }
            } else {
                unloggedSince = cursor
            }
            self.isLogged = isLogged
        }

        /// The store was not to keep an event.
        mutating func lack(_ kind: EventKinds, _ cursor: UInt64) {
            if cursor > unloggedSince { unkept.update(kind) { $0 = cursor } }
        }

        /// Whether the store keeps each of its elements as an event: those of a stream. Elements of an action are in
        /// the output of its executions, as far as that is kept.
        var logsElements: Bool { isLogged && kind == .stream }
    }

    init(name: String, _ kind: HostedKind, _ ring: EventRing, isLogged: Bool) {
        self.name = name
        self.kind = kind
        self.ring = ring
        feed = Feed(kind, isLogged: isLogged)
    }

    // Each kind overrides these.

    /// The rights of clients.
    public var access: Access { preconditionFailure("abstract") }

    /// The levels as they are now. With the log's lock held.
    var snapshot: HostedLevels { preconditionFailure("abstract") }

    /// The levels that were published after `cursor`, as they are now, oldest first. With the log's lock held.
    func levels(_ kinds: EventKinds, after cursor: UInt64) -> [HostEvent] { preconditionFailure("abstract") }

    /// Notes when a level was published. With the log's lock held.
    func mark(_ change: HostEvent.Change, _ mark: Mark) { preconditionFailure("abstract") }

    /// Whether readers of all names of its kind read it too.
    public var isListed: Bool { true }

    /// It has no events up to this one, and does not know whether there were any.
    var beganAt: UInt64 { 0 }

    /// A reader has begun to watch it (1), or ceased to (-1). Without the log's lock.
    func watched(by change: Int) {}

    /// The cursor of the first event of the oldest execution in flight; nil if none is, `.expired` if that event is not
    /// kept any more. With the log's lock held.
    func startOfFlight() -> FlightStart? { preconditionFailure("abstract") }

    enum FlightStart {
        case kept(UInt64)
        case expired
    }
}

/// What a name with events stands for. The raw value is the word of the protocol.
public enum HostedKind: String, Sendable, CaseIterable {
    case action, reactor, stream
}

/// The levels of a name at one moment.
public enum HostedLevels: Sendable {
    case action(ActionLevels)
    case reactor(ReactorLevels)
    /// Streams have no levels, and neither have reactors that are no longer configured.
    case nothing
}
