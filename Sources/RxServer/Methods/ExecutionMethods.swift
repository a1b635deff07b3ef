internal import RxStore
internal import RxRecords
internal import JSONRPC
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

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
                // Whoever could cancel it is told how it ended, even if that right goes meanwhile.
                answer(reply, atEndOf: execution, timeout: nil, as: nil)
            case .past(let record):
                tellCancel(of: record.id, record.action, "ended")
                record.answer(reply)
            case .none(let error): reply.failure(error)
            }
        }
    }

    private func tellCancel(of execution: ExecutionID, _ action: String, _ outcome: String) {
        audit(
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
                case .live(let execution):
                    answer(reply, atEndOf: execution, timeout: timeout, as: Wait(for: execution.action, execution))
                case .past(let record): record.answer(reply)
                case .none(let error): reply.failure(error)
                }
            }
        case (nil, .some):
            let action = try action(parameters.string("action"), for: .read)
            wait(reply, timeout: timeout, as: Wait(for: action, nil)) { told in
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

    private func answer(_ reply: Reply, atEndOf execution: HostedExecution, timeout: Duration?, as wait: Wait?) {
        self.wait(reply, timeout: timeout, as: wait) { told in
            execution.observe { event in
                if case .ended = event { told() }
            }
        } answer: { [server] reply in
            if let error = execution.unkeptEnd { return reply.failure(RPCError(error)) }
            server.host.log.record(of: execution).answer(reply)
        }
    }

    /// Answers when `begin` has called back, or with `timedOut` before; a client that leaves waits no longer.
    ///
    /// - Parameter wait: what the client must be allowed to wait for all the time; nil if that is settled.
    private func wait(
        _ reply: Reply, timeout: Duration?, as wait: Wait?,
        _ begin: (_ told: @escaping @Sendable () -> Void) -> any Disposable,
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
            observation.dispose()
            timer?.cancel()
        }
        guard var wait else { return }
        wait.refuse = { waiter.value.finish($0) }
        waits[token] = wait
    }

    /// Ends the waiting for an action, or for its executions, that its client may not see any more.
    func authorizeWaits(again source: Hosted) {
        for (token, wait) in waits where wait.action === source {
            let action = wait.action
            let isAllowed =
                if let execution = wait.execution {
                    server.rights.allow(
                        .read, onExecutionBy: server.host.log.record(of: execution).by, under: action.access,
                        by: connection.peer)
                } else {
                    server.rights.allow(.read, on: action, by: connection.peer)
                }
            guard !isAllowed else { continue }
            stopObserving(token)
            wait.refuse(refusal(of: "read", action: action.name, execution: wait.execution?.id))
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
        try withPastRecord(id, for: operation) { result in
            switch result {
            case .success(let record): body(.past(record))
            case .failure(let error): body(.none(error))
            }
        }
    }

    /// Calls `body`, in a later turn, with what the history has of an execution, if the peer may see it.
    ///
    /// - Parameter method: what asked for it, where that is no longer what is being handled.
    /// - Throws: if there is no history.
    func withPastRecord(
        _ id: ExecutionID, for operation: Rights.ExecutionOperation, method: String? = nil,
        _ body: @escaping (Result<ExecutionRecord, RPCError>) -> Void
    ) throws(RPCError) {
        guard let store = server.host.store else { throw .notFound("execution", id.description) }
        let body = LoopConfined(body)
        store.record(id) { [method = method ?? self.method, loop = server.loop, session = LoopConfined(self)] result in
            loop.execute { body.value(session.value.found(result, id, for: operation, method)) }
        }
    }

    private func found(
        _ result: Result<ExecutionRecord?, StoreError>, _ id: ExecutionID, for operation: Rights.ExecutionOperation,
        _ method: String
    ) -> Result<ExecutionRecord, RPCError> {
        switch result {
        case .failure(let error):
            return .failure(RPCError(error))
        case .success(nil):
            return .failure(.notFound("execution", id.description))
        case .success(let record?):
            do throws(RPCError) {
                try authorize(operation, on: record.id, of: record.action, by: record.by, method: method)
                return .success(record)
            } catch {
                return .failure(error)
            }
        }
    }
}

/// What a client waits for.
struct Wait {
    let action: HostedAction
    /// Nil for all of the action's.
    let execution: HostedExecution?
    /// Answers with an error in place of what was waited for.
    var refuse: (RPCError) -> Void = { _ in }

    init(for action: HostedAction, _ execution: HostedExecution?) {
        self.action = action
        self.execution = execution
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
