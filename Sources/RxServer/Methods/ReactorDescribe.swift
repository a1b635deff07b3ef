internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `reactor.describe`: one reactor, with the schema of its actions.
struct ReactorDescribe: MethodHandler {
    static let method = Method.reactorDescribe
    static let onlyAnswers = true

    private let call: Call
    private let reactor: HostedReactor

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        reactor = try call.client.reactor(parameters.string("reactor"), allowing: .read, for: Self.method)
        self.call = call
    }

    func perform() throws(RPCError) {
        let bytes = reactor.approximateBytes + (reactor.definition.schema?.source.utf8.count ?? 0)
        try call.writeAnswer(about: bytes) { () throws(RPCError) in
            // A reload may have changed the reactor or the right meanwhile.
            let reactor = try call.client.reactor(reactor.name, allowing: .read, for: Self.method)
            let summary = ReactorSummary(reactor, rights: call.client.rights(on: reactor), withSchema: true)
            return { summary.write(to: &$0) }
        }
    }
}
