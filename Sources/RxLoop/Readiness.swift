internal import CEpoll

/// The events that a source or watch waits for. A hang-up is always reported, so `[]` waits for a hang-up alone.
public struct Interest: OptionSet, Sendable {
    /// The set as bits.
    public let rawValue: UInt8
    /// Creates a set from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Wait until reading does not block.
    public static let readable = Interest(rawValue: 1)
    /// Wait until writing does not block.
    public static let writable = Interest(rawValue: 2)
    /// Wait for a hang-up only, which is always reported.
    public static let hangUp: Interest = []

    var events: UInt32 { (contains(.readable) ? cepoll_in : 0) | (contains(.writable) ? cepoll_out : 0) }
}

/// The events that a descriptor is ready for.
public struct Readiness: OptionSet, Sendable {
    /// The set as bits.
    public let rawValue: UInt8
    /// Creates a set from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reading does not block.
    public static let readable = Readiness(rawValue: 1)
    /// Writing does not block.
    public static let writable = Readiness(rawValue: 2)
    /// The peer is gone or the descriptor has failed.
    public static let hangUp = Readiness(rawValue: 4)

    init(_ interest: Interest) { self.init(rawValue: interest.rawValue) }

    var events: UInt32 {
        (contains(.readable) ? cepoll_in : 0) | (contains(.writable) ? cepoll_out : 0)
            | (contains(.hangUp) ? cepoll_gone : 0)
    }

    init(events: UInt32) {
        self = []
        if events & cepoll_in != 0 { insert(.readable) }
        if events & cepoll_out != 0 { insert(.writable) }
        if events & cepoll_gone != 0 { insert(.hangUp) }
    }
}
