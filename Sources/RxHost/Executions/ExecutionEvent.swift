public import RxRecords
public import RxJSON

/// An event for an observer of one execution, in order, ending with `ended`.
public enum ExecutionEvent: Sendable {
    /// The number of elements before the next that are no longer there: the first event, if at all.
    case lost(Int)
    /// The work yielded an element.
    case element(RawJSON)
    /// Nil if the execution completed.
    case ended(ExecutionError?)

    /// A function that is called with the events of one execution.
    public typealias Observer = @Sendable (ExecutionEvent) -> Void
}
