internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `action.forget`: forgets keys of the client's user whose executions have ended.
struct ActionForget: MethodHandler {
    static let method = Method.actionForget

    /// The most keys of one request, so that it does not hold up the loop.
    private static let mostAtOnce = 256

    private let call: Call
    private let action: HostedAction
    private let keys: [String]

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        let keys = try parameters.optionalStrings("keys") ?? []
        guard (1...Self.mostAtOnce).contains(keys.count) else {
            throw parameters.fault("keys", "must have 1 to \(Self.mostAtOnce) keys")
        }
        action = try call.client.action(parameters.string("action"), allowing: .execute, for: Self.method)
        self.keys = keys
        self.call = call
    }

    func perform() throws(RPCError) {
        let count = call.host.forget(keys, by: call.peer.origin, of: action)
        call.reply.success { writer in
            writer.object { writer in
                writer.field("action", action.name)
                writer.field("forgotten", count)
            }
        }
    }
}
