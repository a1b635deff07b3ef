/// What a subscription can carry.
///
/// `executing`, `enabled` and `state` are levels: the newest value is all that counts. `elements`, `errors` and
/// `executions` are events: each one counts, and dropped ones are told by `lag`.
public enum Channel: String, Sendable, CaseIterable {
    case elements, errors, executing, enabled, executions, state
    case lag, end

    /// A set of channels in one byte.
    public struct Set: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let elements = Set(.elements)
        public static let errors = Set(.errors)
        public static let executing = Set(.executing)
        public static let enabled = Set(.enabled)
        public static let executions = Set(.executions)
        public static let state = Set(.state)

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

/// Why a subscription ended; always sent before the server closes it.
public enum EndReason: String, Sendable, CaseIterable {
    case completed, failed, cancelled, timedOut, unsubscribed, removed, shutdown, limit, revoked
}
