/// A kind of event that a subscription can carry; the raw value is the word on the wire.
///
/// `executing`, `enabled` and `state` are levels: only the newest value counts. `elements`, `errors`, `executions` and
/// `firings` are events: each one counts, and `lag` reports those that were dropped.
public enum Channel: String, Sendable, CaseIterable {
    /// The elements of executions and streams.
    case elements
    /// Failures of executions, reactors, and streams, and refusals.
    case errors
    /// Whether work of an action is in flight.
    case executing
    /// Whether an action accepts an input, and if not, why.
    case enabled
    /// The record of an execution, at each change of its state.
    case executions
    /// The state of a reactor.
    case state
    /// The outcome of each element of a stream at an `on`.
    case firings
    /// Dropped events: how many, and the first and last of them.
    case lag
    /// The end of the subscription.
    case end

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

        /// `firings`.
        public static let firings = Set(.firings)

        /// `lag`, as far as it reports elements that were dropped within a stream. Every subscription carries the
        /// losses of its own.
        public static let lag = Set(.lag)

        /// One channel; `end` is in no set, since every subscription carries it.
        public init(_ channel: Channel) {
            switch channel {
            case .elements: rawValue = 1
            case .errors: rawValue = 2
            case .executing: rawValue = 4
            case .enabled: rawValue = 8
            case .executions: rawValue = 16
            case .state: rawValue = 32
            case .firings: rawValue = 64
            case .lag: rawValue = 128
            case .end: rawValue = 0
            }
        }
    }
}

/// Why a subscription ended; the `end` event carries it. The raw value is the word on the wire.
public enum EndReason: String, Sendable, CaseIterable {
    /// The execution, or the last of several, completed.
    case completed
    /// The execution, or the last of several, failed.
    case failed
    /// The execution, or the last of several, was canceled.
    case cancelled
    /// The execution, or the last of several, exceeded its time limit.
    case timedOut
    /// The client called `unsubscribe`.
    case unsubscribed
    /// Everything that was subscribed to was removed from the configuration.
    case removed
    /// The daemon is stopping.
    case shutdown
    /// The reader was too slow for `overflow: "end"`, or the connection broke the rules.
    case limit
    /// The client lost the right to subscribe.
    case revoked
    /// The subscription was to what is kept alone, and all of it has come.
    case caughtUp
}
