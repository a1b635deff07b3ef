internal import RxRecords
internal import JSONRPC
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// Answers a request that waits for the end of an execution with the elements that were collected for it.
// Unchecked: what changes is behind the lock; the reply is used on the loop alone.
final class ReplyCollector: @unchecked Sendable {
    private struct Outcome {
        let error: ExecutionError?
        let elements: CollectedElements
    }

    private enum State {
        case executing(HostedExecution?)
        /// The end came before `started`.
        case ended(Outcome)
        case answered
    }

    private let reply: Reply
    private let loop: EventLoop
    private let share: LoopShare
    private let state = Locked(State.executing(nil))
    /// Whether many may wait for the same end: then the answer is given in a turn of its user.
    var isJoined = false
    /// Called on the loop; set there, before the end can be answered.
    var whenAnswered: (() -> Void)?

    init(_ reply: Reply, loop: EventLoop) {
        self.reply = reply
        self.loop = loop
        share = reply.output.account.share
    }

    /// The execution has ended.
    func ended(_ error: ExecutionError?, _ elements: CollectedElements) {
        let outcome = Outcome(error: error, elements: elements)
        let execution = state.withLock { state -> HostedExecution? in
            guard case .executing(let execution?) = state else {
                state = .ended(outcome)
                return nil
            }
            state = .answered
            return execution
        }
        if let execution { answer(execution, outcome) }
    }

    /// Sets the execution, which may have ended already.
    ///
    /// - Returns: whether it had.
    @discardableResult
    func started(_ execution: HostedExecution) -> Bool {
        let outcome = state.withLock { state -> Outcome? in
            switch state {
            case .executing:
                state = .executing(execution)
                return nil
            case .ended(let outcome):
                state = .answered
                return outcome
            case .answered: return nil
            }
        }
        guard let outcome else { return false }
        answer(execution, outcome)
        return true
    }

    private func answer(_ execution: HostedExecution, _ outcome: Outcome) {
        if loop.isOnLoop, !isJoined {
            send(execution, outcome)
        } else {
            loop.execute(in: share) { self.send(execution, outcome) }
        }
    }

    private func send(_ execution: HostedExecution, _ outcome: Outcome) {
        whenAnswered?()
        whenAnswered = nil
        write(execution, outcome)
        // The answer may be shorter than what it was collected from.
        reply.output.account.longAnswers.lookAgain()
    }

    private func write(_ execution: HostedExecution, _ outcome: Outcome) {
        if let error = outcome.error {
            reply.failure(RPCError(error).adding(execution: execution.id.description))
            return
        }
        // The end is reported in any case; the elements need room.
        let isWithoutRoom = reply.isWithoutRoom
        let elements = isWithoutRoom ? nil : outcome.elements
        let isTruncated = outcome.elements.isTruncated || isWithoutRoom && outcome.elements.count > 0
        reply.success(bytes: elements?.bytes ?? 0) { writer in
            writer.beginObject()
            writer.field("execution", execution.id.description)
            writer.key("elements")
            writer.beginArray()
            elements?.forEach { writer.raw($0) }
            writer.endArray()
            writer.field("truncated", isTruncated)
            writer.endObject()
        }
    }
}
