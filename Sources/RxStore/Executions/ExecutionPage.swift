public import RxRecords

/// A part of the history.
public struct ExecutionPage: Sendable {
    /// Oldest first.
    public let records: [ExecutionRecord]
    /// Whether there are older ones that were asked for too: beyond the limit, or beyond what is read at once.
    public let hasOlder: Bool
}
