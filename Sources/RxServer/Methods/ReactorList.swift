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
        try call.writeAnswer(about: bytes) { () throws(RPCError) in
            let reactors = call.host.registry.reactors.filter { call.client.mayRead($0) }.map {
                ReactorSummary($0, rights: call.client.rights(on: $0), withSchema: false)
            }
            return { writer in
                writer.object { writer in
                    writer.array("reactors") { writer in
                        for reactor in reactors { reactor.write(to: &writer) }
                    }
                }
            }
        }
    }
}
