internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

extension Session {
    /// What `action.execute` would answer, with no side effect.
    func checkAction(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["action", "input"])
        let action = try action(parameters.string("action"), for: .execute)
        switch server.host.check(action, parameters["input"]?.rawJSON ?? .null) {
        case .success(let outlook):
            reply.success { writer in
                writer.beginObject()
                writer.field("action", action.name)
                writer.key("disposition")
                switch outlook {
                case .starts: writer.string("started")
                case .waits: writer.string("queued")
                case .joins: writer.string("joined")
                }
                writer.key("execution")
                if case .joins(let id) = outlook {
                    writer.string(id.description)
                } else {
                    writer.null()
                }
                writer.endObject()
            }
        case .failure(let refusal):
            throw RPCError(refusal, action: action.name)
        }
    }
}
