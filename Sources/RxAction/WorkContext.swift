public import Rx

/// The execution that a piece of work belongs to, as the work sees it.
public struct WorkContext: Sendable {
    let execution: AnyExecution

    /// The id of the execution.
    public var id: ExecutionID { execution.id }

    /// Whether the execution was canceled.
    public var isCancelled: Bool { execution.gate.isCancelled(execution) }

    /// Registers a handler for work that needs time to stop. A cancellation then calls `handler` instead of disposing
    /// the work. The execution stays in flight until the work ends by itself, and its end is `cancelled` in any case.
    ///
    /// `handler` is called at once if the execution is already canceled, and again for each further cancellation,
    /// because a later one may leave less time.
    ///
    /// - Returns: removes the handler. Without any handler, a cancellation disposes the work again.
    #if Migration
        @preconcurrency
    #endif
    @discardableResult
    public func onCancel(_ handler: @escaping @Sendable (any Error) -> Void) -> any Disposable {
        let handler = CancelHandler(handler)
        execution.gate.onCancel(execution, handler)
        return Disposables.create { [execution] in execution.gate.remove(handler, of: execution) }
    }
}
