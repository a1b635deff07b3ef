internal import RxHost
internal import RxProtocol

/// An event as bytes, shared by everyone who receives it: all of its line but the head.
struct EncodedEvent {
    /// Tells levels of one subscription apart: two events with the same level say the same thing, newer and older.
    struct Level: Hashable {
        let source: ObjectIdentifier
        let channel: Channel.Set
    }

    let cursor: UInt64
    /// Empty for what every subscription carries.
    let channel: Channel.Set
    let level: Level?
    /// Whether it is sent even if there is no room: the last words of a subscription.
    let mustArrive: Bool
    /// `,"cursor":…}}` and a newline; empty if it is `whole` that is to be sent.
    let tail: [UInt8]
    /// What the level says; nil of a state, whose revisions are never alike.
    var value: LevelValue?
    /// The whole level, where that is large and most readers need less, or only the newest.
    var whole: WholeLevel?

    /// The same level, told as a whole.
    var asWhole: EncodedEvent {
        EncodedEvent(
            cursor: cursor, channel: channel, level: level, mustArrive: mustArrive, tail: [], whole: whole)
    }

    var bytes: [UInt8] {
        if let whole, tail.isEmpty { whole.tail } else { tail }
    }
}

/// A level that is encoded when it is written for the first time, for all who get it.
final class WholeLevel {
    private let encode: () -> [UInt8]
    private(set) lazy var tail = encode()

    init(_ encode: @escaping () -> [UInt8]) { self.encode = encode }
}
