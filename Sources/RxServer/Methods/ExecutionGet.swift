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
                        let awaited = AwaitedSummary(execution, call)
                        call.reply.success(about: bytes) { record.write(to: &$0) { awaited?.write(to: &$0) } }
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

/// The executions whose ends an execution waits for, as far as a client may read them.
private struct AwaitedSummary {
    private let records: [ExecutionRecord]
    private let ifCompleted: Bool

    /// Nil for an execution that waits for none.
    init?(_ execution: HostedExecution, _ call: Call) {
        let host = call.host
        guard let awaited = host.awaited(by: execution) else { return nil }
        let others = awaited.executions.lazy.compactMap { host.execution($0) }.filter { call.client.mayRead($0) }
        records = others.prefix(ExecutionGet.awaitedShown).map { host.log.record(of: $0) }
        ifCompleted = awaited.ifCompleted
    }

    /// Writes the fields `waitsFor` and, if it is so, `ifCompleted` into an object that has begun.
    func write(to writer: inout JSONWriter) {
        writer.array("waitsFor") { writer in
            for record in records {
                writer.object { writer in
                    writer.key("execution")
                    writer.execution(record.id)
                    writer.field("action", record.action)
                    writer.field("state", record.state.rawValue)
                }
            }
        }
        if ifCompleted { writer.field("ifCompleted", true) }
    }
}

extension ExecutionGet {
    /// The most executions in `waitsFor`: enough to see what is the matter, and some 10 KB.
    static let awaitedShown = 100
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
