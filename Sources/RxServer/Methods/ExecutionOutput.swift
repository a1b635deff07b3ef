internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxRecords
internal import RxStore

/// `execution.output`: what is kept of the output of an execution.
struct ExecutionOutput: MethodHandler {
    static let method = Method.executionOutput
    static let onlyAnswers = true

    /// The least that is reserved for an answer.
    private static let leastReserved = 64 << 10

    private let call: Call
    private let execution: String
    private let position: OutputPosition
    private let wait: Duration?

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        execution = try parameters.string("execution")
        position = OutputPosition(
            elements: try parameters.optionalInt("elements", in: 0...Int.max) ?? 0,
            errorBytes: try parameters.optionalInt("stderr", in: 0...Int.max) ?? 0)
        wait = try parameters.optionalDuration("wait")
        self.call = call
    }

    func perform() throws(RPCError) {
        let lookup = ExecutionLookup(session: call.session, operation: .read, method: Self.method)
        try lookup.find(execution) { [self] found in
            switch found {
            case .success(.live(let execution)): answer(execution, lookup)
            case .success(.past(let record)): answer(lookup) { record }
            case .failure(let error): call.reply.failure(error)
            }
        }
    }

    /// Two streams of the longest output that is kept, and as much for their escapes.
    private var bytesReserved: Int { max(4 * (call.host.store?.retention.output ?? 0), Self.leastReserved) }

    private func answer(_ execution: HostedExecution, _ lookup: ExecutionLookup) {
        let record = { [log = call.host.log] in log.record(of: execution) }
        guard let wait, execution.isInFlight else { return answer(lookup, record) }
        let target = Waits.Target(action: execution.action, execution: execution)
        call.session.waits.wait(call.reply, timeout: wait, for: target) { [host = call.host] callback in
            host.whenOutput(of: execution, after: position, callback) ?? AtOnce(callback)
        } answer: { [self] _ in
            answer(lookup, record)
        }
    }

    /// - Parameter record: the record as it is when the answer is made: its state is not newer than the output.
    private func answer(_ lookup: ExecutionLookup, _ record: @escaping () -> ExecutionRecord) {
        call.beginLongAnswer(bytesReserved) { () throws(RPCError) in
            let record = record()
            try lookup.authorize(record)
            let mayBeKept = call.host.keepsOutput(of: record.action)
            return { [host = call.host, workers = call.context.workers, position, uid = call.peer.uid] finish in
                host.output(of: record.id, for: uid) { output in
                    // The thread that has read it reads for others next.
                    workers.run(for: uid) {
                        finish(output.map { OutputText(record, $0, after: position, mayBeKept: mayBeKept).text })
                    }
                }
            }
        } then: { (text: Result<[UInt8], StoreError>) throws(RPCError) in
            switch text {
            case .success(let text): call.reply.success(text)
            case .failure(let error): throw RPCError(error)
            }
        }
    }
}
