internal import Rx
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `unsubscribe`: ends a subscription, and withdraws from the execution that it came with.
struct Unsubscribe: MethodHandler {
    static let method = Method.unsubscribe

    private let call: Call
    private let subscription: Subscription

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let name = try Parameters(params, of: Self.method).string("subscription")
        guard let found = call.session.subscriptions[name] else { throw .notFound("subscription", name) }
        subscription = found
        self.call = call
    }

    func perform() {
        call.reply.success { writer in
            writer.beginObject()
            writer.field("subscription", subscription.name)
            writer.endObject()
        }
        if case .requested(let requester?) = subscription.target,
            case .executions(let executions) = subscription.source
        {
            call.session.requests.removeValue(forKey: requester)?.observation.dispose()
            // If it was the last requester, the stream ends with the execution that this cancels.
            if executions[0].withdraw(requester) { return }
        }
        call.session.subscriptions.close(subscription, .unsubscribed)
    }
}
