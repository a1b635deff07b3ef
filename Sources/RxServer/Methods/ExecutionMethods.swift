internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import UnixSocket

extension Session {
    func listExecutions(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["action", "state"])
        try authorize(.read)
        // Sets, since a line has room for a hundred thousand names, and each record is looked up.
        let names = try parameters.optionalStrings("action").map { Set($0) }
        let states = try parameters.optionalStrings("state").map { Set($0) }
        for name in names ?? [] { _ = try action(name, for: .read) }
        for state in states ?? [] where ExecutionState(rawValue: state) == nil {
            throw parameters.fault("state", "no such state: \(state)")
        }
        let records = server.host.log.executions().filter { record in
            (names?.contains(record.action) ?? true) && (states?.contains(record.state.rawValue) ?? true)
        }
        let (newest, isTruncated) = newest(records)
        reply.success { writer in
            writer.beginObject()
            writer.key("executions")
            writer.beginArray()
            for record in newest { writer.raw(record) }
            writer.endArray()
            writer.field("truncated", isTruncated)
            writer.endObject()
        }
    }

    /// As many of the newest records as an outbox may hold, oldest first; a reader of nothing must not fill the memory.
    private func newest(_ records: [ExecutionRecord]) -> (records: [RawJSON], isTruncated: Bool) {
        var newest: [RawJSON] = []
        var bytes = 0
        for record in records.reversed() {
            var writer = JSONWriter()
            record.write(to: &writer)
            bytes += writer.bytes.count + 1
            guard bytes <= server.limits.outboxBytes else { return (newest.reversed(), true) }
            newest.append(RawJSON(unchecked: writer.bytes))
        }
        return (newest.reversed(), false)
    }

    func getExecution(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["execution"])
        let execution = try execution(parameters, for: .read)
        answer(reply, execution)
    }

    /// Answers at the execution's end, so that whoever asked knows that it is over.
    func cancelExecution(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["execution", "grace"])
        let grace = try parameters.optionalDuration("grace")
        let execution = try execution(parameters, for: .execute)
        execution.cancel(by: connection.peer.origin, grace: grace)
        guard reply.id != nil else { return }
        execution.observe { [loop = server.loop, reply = LoopConfined(reply), session = LoopConfined(self)] event in
            guard case .ended = event else { return }
            loop.execute { session.value.answer(reply.value, execution) }
        }
    }

    private func execution(
        _ parameters: Parameters, for operation: Rights.Operation
    ) throws(RPCError) -> HostedExecution {
        let text = try parameters.string("execution")
        guard let id = ExecutionID(text), let execution = server.host.log.execution(id) else {
            throw .notFound("execution", text)
        }
        try authorize(operation, on: execution.action)
        return execution
    }

    private func answer(_ reply: Reply, _ execution: HostedExecution) {
        let record = server.host.log.record(of: execution)
        reply.success { record.write(to: &$0) }
    }
}
