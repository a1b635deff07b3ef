public import RxAction
public import RxRecords

/// A part of the history.
public struct ExecutionPage: Sendable {
    /// The records, oldest first.
    public let records: [ExecutionRecord]
    /// The execution before which, or in the order from the oldest after which, the search goes on: there may be more,
    /// beyond the limit, the bytes of a page, or the rows of a read. Nil at the end of the selection.
    public let next: ExecutionID?
}
