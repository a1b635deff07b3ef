package import RxAction

/// A question about the log that a reader has before it begins.
package enum LogLookup: Sendable {
    /// Which is the last event before the first one since a time, in milliseconds since 1970? If the reader is one of
    /// streams, among their events.
    case time(Int64, ofStreams: Bool)
    /// Which is the first event of an execution?
    case execution(ExecutionID)
}

/// What the log has of it.
package struct LogPlace: Sendable {
    /// The number of the event; 0 if there is no event before the time.
    package let number: UInt64
    /// The name of the action; empty for a time.
    package let name: String
}
