internal import RxRecords
internal import RxAction
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// The stream that `action.execute` opens for the events of its execution.
struct ExecutionStream {
    /// Events of the past that are sent at once to a client that joins: as many as a portion of a catch-up has.
    private static let sentAtOnce = 128

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
            channels: channels(of: execution), buffer: call.context.limits.buffer, since: attachment?.cursor ?? 0,
            encoder: call.context.encoder,
            reveals: { [client = call.client] in client.maySubscribe(toReactor: $0) })
        // Whoever joins must not slow down the work of the client that requested it.
        if accepted.disposition != .joined, let flow = execution.flow { subscription.startPacing(flow) }
        call.session.subscriptions.open(subscription)
        guard let attachment else { return }
        if accepted.disposition == .joined, attachment.recorded.count > Self.sentAtOnce {
            catchUp(with: attachment, subscription)
        } else {
            send(attachment, to: subscription)
        }
    }

    /// Only work that is tried again has records that its requester may want to see. Whoever joins may not be allowed
    /// to: a record has the input and the causes.
    private func channels(of execution: HostedExecution) -> Channel.Set {
        let showsRecords = execution.isTriedAgain && call.client.mayRead(execution)
        return showsRecords ? [.elements, .errors, .executions] : [.elements, .errors]
    }

    /// Sends a long past in portions, as the peer takes it, and then what follows.
    private func catchUp(with attachment: Attachment, _ subscription: Subscription) {
        sendLoss(attachment, to: subscription)
        subscription.beginCatchUp(at: attachment.start)
        call.output.catchUp(subscription)
        if let end = attachment.end, let reason = EndReason(end.state) {
            // After it has caught up.
            call.session.subscriptions.close(subscription, reason)
        }
    }

    private func sendLoss(_ attachment: Attachment, to subscription: Subscription) {
        guard let lost = attachment.lost else { return }
        let lag = call.context.encoder.lag(dropped: lost.count, first: lost.first, last: lost.last)
        call.output.send(lag, of: subscription)
    }

    /// Sends the events from before the stream was opened, as if it had been open.
    private func send(_ attachment: Attachment, to subscription: Subscription) {
        let encoder = call.context.encoder
        let output = call.output
        sendLoss(attachment, to: subscription)
        for event in attachment.recorded where subscription.mayCarry(event.change) {
            if let encoded = encoder.encode(event) { output.send(encoded, of: subscription) }
        }
        guard let end = attachment.end, let reason = EndReason(end.state) else {
            if let position = call.host.log.position(after: attachment) {
                subscription.beginCatchUp(at: position)
                output.catchUp(subscription)
            }
            return
        }
        if let failure = attachment.failure, let encoded = encoder.encode(failure) {
            output.send(encoded, of: subscription)
        }
        call.session.subscriptions.close(subscription, reason)
    }
}
