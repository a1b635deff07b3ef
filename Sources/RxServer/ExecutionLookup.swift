internal import RxStore
internal import RxRecords
internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxProtocol
internal import RxLoop

/// Finds an execution by its id among those in flight, those that ended lately, and those in the history, if the
/// client has the right to it.
struct ExecutionLookup {
    enum Found {
        /// In flight, or ended lately.
        case live(HostedExecution)
        /// Known from the history only.
        case past(ExecutionRecord)
    }

    /// The client's session.
    let session: Session
    /// The right that is needed.
    let operation: Rights.ExecutionOperation
    /// The method that needs it, for the audit.
    let method: Method

    /// Calls `body` with the execution: at once, or once the history was read.
    ///
    /// - Throws: if it is known at once that there is no such execution, or no right to it.
    func find(_ text: String, _ body: @escaping (Result<Found, RPCError>) -> Void) throws(RPCError) {
        guard let id = ExecutionID(text) else { throw .notFound("execution", text) }
        if let execution = try live(id) { return body(.success(.live(execution))) }
        try past(id) { body($0.map { .past($0) }) }
    }

    /// An execution that is in flight or ended lately; nil if only the history may know it.
    func live(_ id: ExecutionID) throws(RPCError) -> HostedExecution? {
        guard let execution = session.context.host.execution(id) else { return nil }
        try authorize(session.context.host.log.record(of: execution))
        return execution
    }

    /// Finds several executions together; those that only the history may know are left out.
    func live(_ ids: [ExecutionID]) throws(RPCError) -> [ExecutionID: HostedExecution] {
        let found = session.context.host.executions(ids)
        for id in ids {
            if let execution = found[id] { try authorize(session.context.host.log.record(of: execution)) }
        }
        return found
    }

    /// - Throws: if the client has no right to the execution, or none any more.
    func authorize(_ record: ExecutionRecord) throws(RPCError) {
        try session.client.authorize(operation, on: record.id, of: record.action, by: record.by, for: method)
    }

    /// Calls `body`, in a later turn, with what the history has of an execution.
    ///
    /// - Throws: if there is no history.
    func past(
        _ id: ExecutionID, _ body: @escaping (Result<ExecutionRecord, RPCError>) -> Void
    ) throws(RPCError) {
        guard let store = session.context.host.store else { throw .notFound("execution", id.description) }
        let body = LoopConfined(body)
        // All users share the store's thread: a connection has one such request at a time.
        session.output.pauseInput()
        store.record(id, for: session.client.peer.uid) {
            [loop = session.context.loop, share = session.client.account.share, self = LoopConfined(self)] result in
            loop.execute(in: share) {
                body.value(self.value.found(result, id))
                self.value.session.output.resumeInput()
            }
        }
    }

    private func found(
        _ result: Result<ExecutionRecord?, StoreError>, _ id: ExecutionID
    ) -> Result<ExecutionRecord, RPCError> {
        switch result {
        case .failure(let error):
            return .failure(RPCError(error))
        case .success(nil):
            return .failure(.notFound("execution", id.description))
        case .success(let record?):
            do throws(RPCError) {
                try authorize(record)
                return .success(record)
            } catch {
                return .failure(error)
            }
        }
    }
}
