internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `execution.get`: the record of one execution.
struct ExecutionGet: MethodHandler {
    static let method = Method.executionGet
    static let onlyAnswers = true

    private let call: Call
    private let execution: String

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        execution = try Parameters(params, of: Self.method).string("execution")
        self.call = call
    }

    func perform() throws(RPCError) {
        let lookup = ExecutionLookup(session: call.session, operation: .read, method: Self.method)
        try lookup.find(execution) { [call] found in
            switch found {
            case .success(.live(let execution)):
                let record = call.host.log.record(of: execution)
                call.reply.success { record.write(to: &$0) }
            case .success(.past(let record)):
                call.reply.success { record.write(to: &$0) }
            case .failure(let error):
                call.reply.failure(error)
            }
        }
    }
}
