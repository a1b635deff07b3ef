internal import CEpoll

/// The events that a source or watch waits for. A hang-up is always reported, so `[]` waits for a hang-up alone.
public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let readable = Interest(rawValue: 1)
    public static let writable = Interest(rawValue: 2)
    public static let hangUp: Interest = []

    var events: UInt32 { (contains(.readable) ? cepoll_in : 0) | (contains(.writable) ? cepoll_out : 0) }
}

/// The events that a descriptor is ready for. `hangUp`: the other end is gone or the descriptor failed.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let readable = Readiness(rawValue: 1)
    public static let writable = Readiness(rawValue: 2)
    public static let hangUp = Readiness(rawValue: 4)

    init(_ interest: Interest) { self.init(rawValue: interest.rawValue) }

    init(events: UInt32) {
        self = []
        if events & cepoll_in != 0 { insert(.readable) }
        if events & cepoll_out != 0 { insert(.writable) }
        if events & cepoll_gone != 0 { insert(.hangUp) }
    }
}
