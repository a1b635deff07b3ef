internal import JSONRPC
internal import RxJSON
internal import RxProtocol

/// `rpc.discover`: the OpenRPC document of the protocol.
struct RPCDiscover: MethodHandler {
    static let method = Method.rpcDiscover
    static let onlyAnswers = true

    /// Encoded once: it never changes while the program runs.
    private static let document = RawJSON(OpenRPC.document).utf8

    private let call: Call

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        _ = try Parameters(params, of: Self.method)
        self.call = call
    }

    func perform() throws(RPCError) {
        try call.answer(about: Self.document.count) { () throws(RPCError) in
            call.reply.success(Self.document)
        }
    }
}
