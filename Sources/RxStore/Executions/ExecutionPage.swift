public import RxRecords

/// A part of the history.
public struct ExecutionPage: Sendable {
    /// The records, oldest first.
    public let records: [ExecutionRecord]
    /// Whether there are older ones in the range: beyond the limit, or beyond the bytes that are read at once.
    public let hasOlder: Bool
}
