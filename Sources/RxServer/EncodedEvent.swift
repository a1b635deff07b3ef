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
    /// `,"cursor":…}}` and a newline; empty if `whole` is to be sent instead. If that has an ending, only what precedes
    /// it.
    let tail: [UInt8]
    /// The level's value, for comparison; nil for a state, whose revisions are never alike.
    var value: LevelValue?
    /// The whole level of a state.
    var whole: WholeLevel?
    /// The same event with values of a reactor, for clients that may subscribe to it; nil if there are none.
    var revealed: RevealedEvent?

    /// The same level, to be sent as a whole.
    var asWhole: EncodedEvent {
        EncodedEvent(
            cursor: cursor, channel: channel, level: level, mustArrive: mustArrive, tail: [], whole: whole)
    }

    /// The same level with the text of the state.
    ///
    /// - Parameter cursor: of the events that were sent before it.
    func made(of text: [UInt8], cursor: UInt64) -> EncodedEvent {
        guard let (tail, level) = whole?.made(of: text, cursor: cursor) else { return self }
        return EncodedEvent(
            cursor: cursor, channel: channel, level: self.level, mustArrive: mustArrive, tail: tail, whole: level)
    }

    var bytes: [UInt8] {
        if let whole, tail.isEmpty { whole.tail } else { tail }
    }

    /// What follows the bytes.
    var ending: WholeLevel.Ending? { tail.isEmpty ? nil : whole?.ending }

    /// The bytes that the event keeps while it waits.
    var waitingBytes: Int { tail.count + (whole == nil ? 0 : ending?.count ?? 0) }
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
