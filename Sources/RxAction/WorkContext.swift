public import Rx

/// What work may want to know of the execution it is done for.
public struct WorkContext: Sendable {
    let execution: AnyExecution

    public var id: ExecutionID { execution.id }

    /// Whether the execution was cancelled.
    public var isCancelled: Bool { execution.gate.isCancelled(execution) }

    /// For work that needs time to stop: a cancellation then calls `handler` instead of disposing the work, and the
    /// execution stays in flight until the work ends by itself; however that is, its end is then `cancelled`.
    ///
    /// `handler` is called at once if the execution is cancelled already, and again for each further cancellation: a later
    /// one may leave less time.
    ///
    /// - Returns: takes the handler back; a cancellation disposes the work again once none is left.
    @discardableResult
    public func onCancel(_ handler: @escaping @Sendable (any Error) -> Void) -> any Disposable {
        let handler = CancelHandler(handler)
        execution.gate.onCancel(execution, handler)
        return Disposables.create { [execution] in execution.gate.remove(handler, of: execution) }
    }
}
