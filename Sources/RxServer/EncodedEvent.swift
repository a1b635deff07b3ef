internal import RxHost
internal import RxProtocol

/// An event as bytes, shared by all subscriptions that carry it: its whole line but the head.
struct EncodedEvent {
    /// Identifies a level: of two events with the same level, the later one replaces the earlier.
    struct Level: Hashable {
        let source: ObjectIdentifier
        let channel: Channel.Set
    }

    let cursor: UInt64
    /// Empty for an event that every subscription carries.
    let channel: Channel.Set
    let level: Level?
    /// Whether it is sent even if there is no room: the end of a subscription.
    let mustArrive: Bool
    /// `,"cursor":…}}` and a newline; empty if `whole` is to be sent instead.
    let tail: [UInt8]
    /// The level's value, for comparison; nil for a state, whose revisions are never alike.
    var value: LevelValue?
    /// The whole level, encoded on demand: states are large, and most readers need a patch or only the newest.
    var whole: WholeLevel?
    /// The same event with values of a reactor, for clients that may subscribe to it; nil if there are none.
    var revealed: RevealedEvent?

    /// The same level, to be sent as a whole.
    var asWhole: EncodedEvent {
        EncodedEvent(
            cursor: cursor, channel: channel, level: level, mustArrive: mustArrive, tail: [], whole: whole)
    }

    var bytes: [UInt8] {
        if let whole, tail.isEmpty { whole.tail } else { tail }
    }
}

/// An event with values of a reactor.
final class RevealedEvent {
    let reactor: String
    let event: EncodedEvent

    init(of reactor: String, _ event: EncodedEvent) {
        self.reactor = reactor
        self.event = event
    }
}

/// A level that is encoded when it is first written, once for all subscriptions.
final class WholeLevel {
    private let encode: () -> [UInt8]
    private(set) lazy var tail = encode()

    init(_ encode: @escaping () -> [UInt8]) { self.encode = encode }
}
