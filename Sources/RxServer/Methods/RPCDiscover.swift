internal import JSONRPC
internal import RxJSON
internal import RxProtocol

extension Session {
    /// Made once: it never changes while the program runs.
    private static let document = RawJSON(MethodDescription.openRPCDocument(of: MethodDescription.all))

    func discover(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        _ = try Parameters(params, known: [])
        reply.success { $0.raw(Session.document) }
    }
}
