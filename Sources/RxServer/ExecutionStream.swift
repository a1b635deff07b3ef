internal import RxRecords
internal import RxAction
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// The stream that `action.execute` opens for the events of its execution.
struct ExecutionStream {
    let name: String
    /// The token with which the client withdraws; nil if it may not.
    let requester: UInt64?
    let call: Call

    /// Answers at once, or once a durable input is on the disk; the events follow on the stream.
    func begin(_ accepted: AcceptedExecution) {
        if accepted.isKept { return open(accepted, accepted.attachment) }
        let session = call.session
        session.subscriptions.reserve(name)
        let share = call.client.account.share
        accepted.whenKept { [loop = call.context.loop, self = LoopConfined(self)] result in
            loop.execute(in: share) {
                let stream = self.value
                stream.call.session.subscriptions.release(stream.name)
                switch result {
                case .success(let attachment): stream.open(accepted, attachment)
                case .failure(let error): stream.call.fail(accepted, error)
                }
            }
        }
    }

    private func open(_ accepted: AcceptedExecution, _ attachment: Attachment?) {
        let execution = accepted.execution
        guard call.output.isOpen else { return call.host.log.unwatch(.executions([execution])) }
        call.reply.success { writer in
            writer.beginObject()
            writer.field("execution", execution.id.description)
            writer.field("disposition", accepted.disposition.rawValue)
            writer.field("subscription", name)
            writer.endObject()
        }
        // The loop delivers events later than this: none is missed, none precedes the response.
        let subscription = Subscription(
            name: name, target: .requested(token: requester), source: .executions([execution]),
            // Only work that is tried again has records that its requester may want to see.
            channels: execution.isTriedAgain ? [.elements, .errors, .executions] : [.elements, .errors],
            buffer: call.context.limits.buffer, since: attachment?.cursor ?? 0, encoder: call.context.encoder)
        // Whoever joins must not slow down the work of the client that requested it.
        if accepted.disposition != .joined, let flow = execution.flow { subscription.startPacing(flow) }
        call.session.subscriptions.open(subscription)
        if let attachment { send(attachment, to: subscription) }
    }

    /// Sends the events from before the stream was opened, as if it had been open.
    private func send(_ attachment: Attachment, to subscription: Subscription) {
        let encoder = call.context.encoder
        let output = call.output
        if let lost = attachment.lost {
            output.send(encoder.lag(dropped: lost.count, first: lost.first, last: lost.last), of: subscription)
        }
        for event in attachment.events {
            if let encoded = encoder.encode(event) { output.send(encoded, of: subscription) }
        }
        guard let end = attachment.end, let reason = EndReason(end.state) else {
            if let position = call.host.log.position(after: attachment) {
                subscription.beginReplay(at: position)
                output.replay(subscription)
            }
            return
        }
        if let failure = attachment.failure, let encoded = encoder.encode(failure) {
            output.send(encoded, of: subscription)
        }
        call.session.subscriptions.close(subscription, reason)
    }
}
