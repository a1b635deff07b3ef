/// A kind of event that a subscription can carry; the raw value is the word on the wire.
///
/// `executing`, `enabled` and `state` are levels: only the newest value counts. `elements`, `errors` and `executions`
/// are events: each one counts, and `lag` reports those that were dropped.
public enum Channel: String, Sendable, CaseIterable {
    case elements, errors, executing, enabled, executions, state
    case lag, end

    /// A set of channels in one byte.
    public struct Set: OptionSet, Sendable, Hashable {
        /// One bit for each channel.
        public let rawValue: UInt8

        /// The channels of these bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// `elements`.
        public static let elements = Set(.elements)
        /// `errors`.
        public static let errors = Set(.errors)
        /// `executing`.
        public static let executing = Set(.executing)
        /// `enabled`.
        public static let enabled = Set(.enabled)
        /// `executions`.
        public static let executions = Set(.executions)
        /// `state`.
        public static let state = Set(.state)

        /// One channel; `lag` and `end` are in no set, since every subscription carries them.
        public init(_ channel: Channel) {
            switch channel {
            case .elements: rawValue = 1
            case .errors: rawValue = 2
            case .executing: rawValue = 4
            case .enabled: rawValue = 8
            case .executions: rawValue = 16
            case .state: rawValue = 32
            case .lag, .end: rawValue = 0
            }
        }
    }
}

/// Why a subscription ended; the `end` event carries it. The raw value is the word on the wire.
public enum EndReason: String, Sendable, CaseIterable {
    case completed, failed, cancelled, timedOut, unsubscribed, removed, shutdown, limit, revoked
}
