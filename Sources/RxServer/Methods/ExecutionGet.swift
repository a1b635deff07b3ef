internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxRecords

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
                let bytes = call.host.log.record(of: execution).approximateBytes
                call.attempt { () throws(RPCError) in
                    try call.answer(about: bytes) { () throws(RPCError) in
                        let record = call.host.log.record(of: execution)
                        try lookup.authorize(record)
                        call.reply.success(about: bytes) { record.write(to: &$0) }
                    }
                }
            case .success(.past(let record)):
                call.answer(with: record, as: lookup)
            case .failure(let error):
                call.reply.failure(error)
            }
        }
    }
}

extension Call {
    /// Answers with a record from the history when there is room for it.
    func answer(with record: ExecutionRecord, as lookup: ExecutionLookup) {
        attempt { () throws(RPCError) in
            try answer(about: record.approximateBytes) { () throws(RPCError) in
                try lookup.authorize(record)
                reply.success { record.write(to: &$0) }
            }
        }
    }
}
