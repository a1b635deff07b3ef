public import Foundation
public import Rx

/// Runs actions as operations of an `OperationQueue`, which determines their order and concurrency.
public final class OperationQueueScheduler: ImmediateSchedulerType, Sendable {
    /// The queue that runs the actions.
    public let operationQueue: OperationQueue
    /// The priority of each operation.
    public let queuePriority: Operation.QueuePriority

    /// Creates a scheduler that adds operations with `queuePriority` to `operationQueue`.
    public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
        self.operationQueue = operationQueue
        self.queuePriority = queuePriority
    }

    /// Adds an operation that runs `action` with `state`. Disposing the result cancels the operation or disposes what
    /// `action` returned.
    #if Migration
        @preconcurrency
    #endif
    public func schedule<State: RxSendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let turn = SingleAssignmentDisposable()
        let operation = BlockOperation {
            if turn.isDisposed { return }
            turn.setDisposable(action(state))
        }
        operation.queuePriority = queuePriority
        operationQueue.addOperation(operation)
        return turn
    }
}
