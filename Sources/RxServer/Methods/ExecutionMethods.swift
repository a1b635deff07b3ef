internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import UnixSocket

extension Session {
    func getExecution(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["execution"])
        try withRecord(parameters, for: .read) { [server] found in
            switch found {
            case .live(let execution): server.host.log.record(of: execution).answer(reply)
            case .past(let record): record.answer(reply)
            case .none(let error): reply.failure(error)
            }
        }
    }

    /// Answers at the execution's end, so that whoever asked knows that it is over.
    func cancelExecution(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["execution", "grace"])
        let grace = try parameters.optionalDuration("grace", orZero: true)
        let by = connection.peer.origin
        try withRecord(parameters, for: .cancel) { [self] found in
            switch found {
            case .live(let execution):
                tellCancel(of: execution.id, execution.action.name, execution.isInFlight ? "done" : "ended")
                execution.cancel(by: by, grace: grace)
                answer(reply, atEndOf: execution, timeout: nil)
            case .past(let record):
                tellCancel(of: record.id, record.action, "ended")
                record.answer(reply)
            case .none(let error): reply.failure(error)
            }
        }
    }

    private func tellCancel(of execution: ExecutionID, _ action: String, _ outcome: String) {
        audit.write(
            AuditRecord(
                method: "execution.cancel", action: action, execution: execution, outcome: .effect(outcome)))
    }

    /// Answers at an execution's end with its record, or when nothing of an action is in flight or waiting.
    func waitForExecution(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["execution", "action", "timeout"])
        let timeout = try parameters.optionalDuration("timeout")
        switch (parameters["execution"], parameters["action"]) {
        case (nil, nil), (.some, .some):
            throw parameters.fault("execution", "one of \"execution\" and \"action\" is required")
        case (.some, nil):
            try withRecord(parameters, for: .read) { [self] found in
                switch found {
                case .live(let execution): answer(reply, atEndOf: execution, timeout: timeout)
                case .past(let record): record.answer(reply)
                case .none(let error): reply.failure(error)
                }
            }
        case (nil, .some):
            let action = try action(parameters.string("action"), for: .read)
            wait(reply, timeout: timeout) { told in
                action.whenIdle(told)
            } answer: { reply in
                reply.success { writer in
                    writer.beginObject()
                    writer.field("action", action.name)
                    writer.endObject()
                }
            }
        }
    }

    private func answer(_ reply: Reply, atEndOf execution: HostedExecution, timeout: Duration?) {
        wait(reply, timeout: timeout) { told in
            execution.observe { event in
                if case .ended = event { told() }
            }
        } answer: { [server] reply in
            if let error = execution.unkeptEnd { return reply.failure(RPCError(error)) }
            server.host.log.record(of: execution).answer(reply)
        }
    }

    /// Answers when `begin` has called back, or with `timedOut` before; a client that leaves waits no longer.
    private func wait(
        _ reply: Reply, timeout: Duration?, _ begin: (_ told: @escaping @Sendable () -> Void) -> Observation,
        answer: @escaping (Reply) -> Void
    ) {
        // A notification is not answered: nobody waits.
        guard reply.id != nil else { return }
        let waiter = LoopConfined(Waiter(reply, answer))
        let token = server.makeToken()
        let observation = begin { [loop = server.loop, session = LoopConfined(self)] in
            loop.execute {
                session.value.stopObserving(token)
                waiter.value.finish(nil)
            }
        }
        let timer = timeout.map { timeout in
            server.loop.schedule(after: timeout) { [session = LoopConfined(self)] in
                session.value.stopObserving(token)
                waiter.value.finish(
                    RPCError(.timedOut, message: "what was waited for goes on") { writer in
                        writer.field("timeout", timeout.rxText)
                    })
            }
        }
        observations[token] = {
            observation.end()
            timer?.cancel()
        }
    }

    // MARK: Finding

    private enum Found {
        /// In flight, or ended lately.
        case live(HostedExecution)
        /// Only the history has it.
        case past(ExecutionRecord)
        case none(RPCError)
    }

    /// Calls `body` with the execution that is asked for, if the peer may see it: at once, or when the history was read.
    private func withRecord(
        _ parameters: Parameters, for operation: Rights.ExecutionOperation, _ body: @escaping (Found) -> Void
    ) throws(RPCError) {
        let text = try parameters.string("execution")
        guard let id = ExecutionID(text) else { throw .notFound("execution", text) }
        if let execution = server.host.log.execution(id) {
            let by = server.host.log.record(of: execution).by
            try authorize(operation, on: id, of: execution.action.name, by: by)
            return body(.live(execution))
        }
        guard let store = server.host.store else { throw .notFound("execution", text) }
        let body = LoopConfined(body)
        store.record(id) { [method, loop = server.loop, session = LoopConfined(self)] result in
            loop.execute { body.value(session.value.found(result, text, for: operation, method)) }
        }
    }

    private func found(
        _ result: Result<ExecutionRecord?, StoreError>, _ text: String, for operation: Rights.ExecutionOperation,
        _ method: String
    ) -> Found {
        switch result {
        case .failure(let error):
            return .none(RPCError(error))
        case .success(nil):
            return .none(.notFound("execution", text))
        case .success(let record?):
            do throws(RPCError) {
                try authorize(operation, on: record.id, of: record.action, by: record.by, method: method)
                return .past(record)
            } catch {
                return .none(error)
            }
        }
    }
}

/// One who waits, and is answered once.
private final class Waiter {
    private let reply: Reply
    private var answer: ((Reply) -> Void)?

    init(_ reply: Reply, _ answer: @escaping (Reply) -> Void) {
        self.reply = reply
        self.answer = answer
    }

    func finish(_ error: RPCError?) {
        guard let answer else { return }
        self.answer = nil
        if let error {
            reply.failure(error)
        } else {
            answer(reply)
        }
    }
}

extension ExecutionRecord {
    fileprivate func answer(_ reply: Reply) {
        reply.success { write(to: &$0) }
    }
}
