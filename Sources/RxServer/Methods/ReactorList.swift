internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `reactor.list`: every reactor that the client has any right on.
struct ReactorList: MethodHandler {
    static let method = Method.reactorList
    static let onlyAnswers = true

    private let call: Call

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        _ = try Parameters(params, of: Self.method)
        self.call = call
    }

    func perform() throws(RPCError) {
        let bytes = call.host.registry.reactors.reduce(0) { $0 + $1.approximateBytes }
        try call.answer(about: bytes) { () throws(RPCError) in answer() }
    }

    private func answer() {
        let reactors = call.host.registry.reactors.filter {
            call.client.mayRead($0)
        }
        call.reply.success { writer in
            writer.beginObject()
            writer.key("reactors")
            writer.beginArray()
            for reactor in reactors {
                ReactorSummary(reactor, rights: call.client.rights(on: reactor), withSchema: false).write(to: &writer)
            }
            writer.endArray()
            writer.endObject()
        }
    }
}
