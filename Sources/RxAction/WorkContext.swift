/// What work may want to know of the execution it is done for.
public struct WorkContext: Sendable {
    let execution: AnyExecution

    public var id: ExecutionID { execution.id }

    /// Whether the execution was cancelled.
    public var isCancelled: Bool { execution.gate.isCancelled(execution) }

    /// For work that needs time to stop: a cancellation then calls `handler` instead of disposing the work, and the
    /// execution stays in flight until the work ends by itself; however that is, its end is then `cancelled`.
    ///
    /// `handler` is called at most once, at once if the execution is cancelled already.
    public func onCancel(_ handler: @escaping @Sendable (any Error) -> Void) {
        execution.gate.onCancel(execution, handler)
    }
}
