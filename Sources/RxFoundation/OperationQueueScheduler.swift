public import Foundation
public import Rx

/// Runs actions as operations of an `OperationQueue`, in the order and as many at a time as that queue decides.
public final class OperationQueueScheduler: ImmediateSchedulerType {
    public let operationQueue: OperationQueue
    public let queuePriority: Operation.QueuePriority

    public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
        self.operationQueue = operationQueue
        self.queuePriority = queuePriority
    }

    public func schedule<State: Sendable>(
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
