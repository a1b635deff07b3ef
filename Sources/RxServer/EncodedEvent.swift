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
    /// `,"cursor":…}}` and a newline.
    let tail: [UInt8]
}
