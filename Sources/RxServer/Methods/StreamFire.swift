internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `stream.fire`: an element in place of the source of a stream.
struct StreamFire: MethodHandler {
    static let method = Method.streamFire

    private let call: Call
    private let stream: any HostedStream
    private let element: RawJSON?

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        stream = try call.client.stream(parameters.string("stream"), allowing: .manage, for: Self.method)
        if let refusal = RPCError(closed: stream, for: call.client) { throw refusal }
        element = parameters["element"]?.rawJSON
        self.call = call
    }

    func perform() throws(RPCError) {
        if let element, let refusal = call.output.refusal(ofKeeping: element.utf8.count) { throw refusal }
        stream.inject(element, causes: call.client.causes)
        call.client.audit(AuditRecord(method: Self.method, stream: stream.name, outcome: .effect("fired")))
        call.reply.success { $0.object { $0.field("stream", stream.name) } }
    }
}
