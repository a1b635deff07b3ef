internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `stream.send`: an element for a stream whose source is `subject`.
struct StreamSend: MethodHandler {
    static let method = Method.streamSend

    private let call: Call
    private let stream: any HostedStream
    private let element: RawJSON

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        stream = try call.client.stream(parameters.string("stream"), allowing: .execute, for: Self.method)
        guard let element = parameters["element"] else { throw parameters.fault("element", "is required") }
        self.element = element.rawJSON
        guard stream.isSubject else {
            throw parameters.fault(
                "stream",
                "\(stream.name) has a source of its own, and only a stream with subject = true takes elements; fire it "
                    + "instead")
        }
        if let refusal = RPCError(closed: stream, for: call.client) { throw refusal }
        self.call = call
    }

    func perform() throws(RPCError) {
        // The stream charges the user with the element as long as it waits.
        if let refusal = call.output.refusal(ofKeeping: element.utf8.count) { throw refusal }
        stream.inject(element, causes: call.client.causes)
        call.context.audit.write(
            AuditRecord(method: Self.method, stream: stream.name, outcome: .effect("sent")), .sends, by: call.peer)
        call.reply.success { $0.object { $0.field("stream", stream.name) } }
    }
}
