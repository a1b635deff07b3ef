internal import RxRecords
internal import JSONRPC
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// Collects the elements of an execution whose requester waits for the end, and answers with them.
// Unchecked: what changes is behind the lock; the reply is used on the loop alone.
final class ReplyCollector: @unchecked Sendable {
    private struct Collected {
        var execution: HostedExecution?
        var elements: [RawJSON] = []
        var bytes = 0
        var isTruncated = false
        var isFull = false
        /// The end, if it came before `started`.
        var end: (error: ExecutionError?, Void)?
    }

    private let reply: Reply
    private let loop: EventLoop
    private let share: LoopShare
    private let elementLimit: Int
    /// Bytes of all elements: a few large ones must not fill the memory.
    private let byteLimit: Int
    /// What all answers to the same user hold.
    private let held: HeldBytes
    private let collected = Locked(Collected())
    /// Called on the loop; set there, before the end can be answered.
    var whenAnswered: (() -> Void)?

    init(_ reply: Reply, loop: EventLoop, elements: Int, bytes: Int) {
        self.reply = reply
        self.loop = loop
        held = reply.output.account.held
        share = reply.output.account.share
        elementLimit = elements
        byteLimit = bytes
    }

    deinit {
        // A client that left gets no answer.
        held.remove(collected.withLock { $0.bytes })
    }

    func take(_ event: ExecutionEvent) {
        switch event {
        case .lost:
            collected.withLock { $0.isTruncated = true }
        case .element(let element):
            collected.withLock { collected in
                guard !collected.isFull, collected.elements.count < elementLimit,
                    collected.bytes + element.utf8.count <= byteLimit, held.add(element.utf8.count)
                else {
                    collected.isTruncated = true
                    collected.isFull = true
                    return
                }
                collected.elements.append(element)
                collected.bytes += element.utf8.count
            }
        case .ended(let error):
            let isStarted = collected.withLock { collected in
                collected.end = (error, ())
                return collected.execution != nil
            }
            if isStarted { answer() }
        }
    }

    /// Sets the execution, which may have ended already.
    ///
    /// - Returns: whether it had.
    @discardableResult
    func started(_ execution: HostedExecution) -> Bool {
        let hasEnded = collected.withLock { collected in
            collected.execution = execution
            return collected.end != nil
        }
        if hasEnded { answer() }
        return hasEnded
    }

    private func answer() {
        if loop.isOnLoop {
            send()
        } else {
            loop.execute(in: share) { self.send() }
        }
    }

    private func send() {
        whenAnswered?()
        whenAnswered = nil
        // Taken out, not copied: there is one answer.
        let taken = self.collected.withLock { collected in
            defer { collected = Collected() }
            return collected
        }
        held.remove(taken.bytes)
        answer(with: taken)
        // The answer may be shorter than what it was collected from.
        reply.output.account.longAnswers.lookAgain()
    }

    private func answer(with collected: consuming Collected) {
        guard let execution = collected.execution, let end = collected.end else { return }
        if let error = end.error {
            reply.failure(RPCError(error).adding(execution: execution.id.description))
            return
        }
        // The end is reported in any case; the elements need room.
        let isWithoutRoom = reply.isWithoutRoom
        let elements = isWithoutRoom ? [] : collected.elements
        let isTruncated = collected.isTruncated || elements.count < collected.elements.count
        reply.success(bytes: isWithoutRoom ? 0 : collected.bytes) { writer in
            writer.beginObject()
            writer.field("execution", execution.id.description)
            writer.key("elements")
            writer.beginArray()
            for element in elements { writer.raw(element) }
            writer.endArray()
            writer.field("truncated", isTruncated)
            writer.endObject()
        }
    }
}
