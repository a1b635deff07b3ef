internal import RxAction
internal import RxRecords

/// The end of an execution that could not be written.
struct UnstoredEnd {
    let id: ExecutionID
    /// The execution with its end; nil if that was refused, and is not known.
    var record: ExecutionRecord?
    /// Whether the record goes into the history.
    var isKept = false
    /// Whether keys refer to the execution.
    var isKeyed = false
    /// The approximate memory of the record.
    var bytes = 0
}
