internal import RxStore
internal import RxRecords
internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

// Errors of the host as errors of the protocol: their codes, facts, and messages. The name of an error that a rule of a
// reactor can see as well comes from `ErrorName` in RxHost.

extension ErrorCode {
    /// The code of the host's name for an error.
    fileprivate init(_ name: ErrorName) {
        self =
            switch name {
            case .invalidParams: .invalidParams
            case .internalError: .internalError
            case .workFailed: .workFailed
            case .notEnabled: .notEnabled
            case .queueFull: .queueFull
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            case .notFound: .notFound
            case .limitReached: .limitReached
            case .shuttingDown: .shuttingDown
            }
    }
}

extension RPCError {
    init(_ error: ExecutionError) {
        let code = ErrorCode(error.name)
        switch error {
        case .failed(let failure):
            self.init(code, message: failure.message) { writer in
                for fact in failure.facts where fact.key != "name" {
                    writer.key(fact.key)
                    writer.value(fact.value)
                }
            }
        case .timedOut(let limit):
            self.init(code) { writer in
                writer.field("timeout", limit.rxText)
            }
        case .cancelled(let by):
            self.init(code) { writer in
                writer.key("by")
                if let by {
                    by.write(to: &writer)
                } else {
                    writer.null()
                }
            }
        case .superseded(let id):
            self.init(code, message: "superseded by a later input") { writer in
                writer.key("by")
                writer.null()
                writer.field("cause", "superseded")
                writer.field("supersededBy", id.description)
            }
        case .interrupted:
            self.init(code, message: "the daemon ended before the work did") { writer in
                writer.field("cause", "interrupted")
            }
        case .postponed:
            self.init(code, message: "\(error)") { writer in
                writer.key("by")
                writer.null()
                writer.field("cause", "stopping")
                writer.field("startsAgain", true)
            }
        case .stopped:
            self.init(code, message: "the daemon is stopping") { writer in
                writer.key("by")
                writer.null()
                writer.field("cause", "stopping")
            }
        }
    }

    init(_ refusal: ExecutionRefusal, action: String) {
        switch refusal {
        case .input(let faults):
            self = .refused(faults.map { RPCError.Fault(path: "/input" + $0.path, message: $0.message) })
        case .notEnabled(let enabled):
            self.init(notEnabled: enabled, action: action)
        case .queueFull(let limit):
            self.init(queueFull: limit, action: action)
        case .tooManyGroups(let limit):
            self = .limitReached("groups", limit)
        case .keyReused:
            self = .refused([RPCError.Fault(path: "/key", message: "was used before with another input")])
        case .tooManyKeys(let limit):
            self = .limitReached("keys", limit)
        case .tooManyKeysOfUser(let limit):
            self = .limitReached("keysPerUid", limit)
        case .tooManyScheduled(let limit):
            self = .limitReached("scheduled", limit)
        case .tooManyScheduledOfUser(let limit):
            self = .limitReached("scheduledPerUid", limit)
        case .tooManyBytesOfUser(let limit):
            self = .limitReached("bytesPerUid", limit)
        case .tooManyAwaited(let limit):
            self = .limitReached("awaited", limit)
        case .cannotSchedule:
            self = .refused([RPCError.Fault(path: "/at", message: "this daemon does not support times")])
        case .stopping:
            self.init(ErrorCode(refusal.name))
        }
    }

    /// - Parameter reveals: whether the client may subscribe to the reactor, and so see its values.
    init(_ fault: ReactorFault, reactor: String, reveals: Bool) {
        self.init(.workFailed, message: reveals ? fault.text : fault.publicText) { writer in
            writer.field("reactor", reactor)
            writer.field("stage", fault.stage.rawValue)
            fault.place?.write(to: &writer)
            if reveals, let input = fault.input { writer.field("input", input) }
        }
    }

    /// - Parameter reveals: whether the client may subscribe to the reactor, and so see its values.
    init(_ refusal: DispatchRefusal, reactor: String, reveals: Bool) {
        switch refusal {
        case .input(let faults):
            self = .refused(faults.map { RPCError.Fault(path: "/action" + $0.path, message: $0.message) })
        case .failed(let fault): self.init(fault, reactor: reactor, reveals: reveals)
        case .refused(let fault):
            self.init(.notEnabled, message: "\(reactor) refuses the action: \(fault.message)") { writer in
                writer.field("reactor", reactor)
                writer.key("reason")
                writer.null()
                writer.field("cause", "rule")
                fault.place?.write(to: &writer)
            }
        case .notKept(let error): self.init(error)
        case .full(let limit): self = .limitReached("dispatches", limit)
        case .tooManyBytes(let limit): self = .limitReached("dispatchBytes", limit)
        case .stopping:
            self.init(ErrorCode(refusal.name), message: "reactor \(reactor) is stopping")
        }
    }

    /// - Parameter facts: an object with `message`, and what is known of the step.
    init(streamFailure facts: RawJSON, of stream: String) {
        let facts = facts.value().object ?? [:]
        self.init(.workFailed, message: facts["message"]?.string) { writer in
            writer.field("stream", stream)
            for fact in facts where fact.key != "message" {
                writer.key(fact.key)
                writer.value(fact.value)
            }
        }
    }

    /// The refusal of an element for a stream that has ended or is disabled; nil if it takes elements.
    /// Why it is disabled has texts of the operator, which not every client may see.
    init?(closed stream: any HostedStream, for client: Client) {
        let (state, message): (String, String)
        if stream.hasEnded {
            (state, message) = ("ended", "the stream \(stream.name) has ended: it takes no more elements")
        } else if let reason = stream.disabledReason {
            let text = "the stream \(stream.name) is disabled"
            (state, message) = ("disabled", client.view(of: stream).showsTexts ? "\(text): \(reason)" : text)
        } else {
            return nil
        }
        self.init(.notEnabled, message: message) { writer in
            writer.field("stream", stream.name)
            writer.field("state", state)
            writer.key("reason")
            writer.null()
        }
    }

    init(notEnabled enabled: Enabled, action: String) {
        self.init(.notEnabled) { writer in
            writer.field("action", action)
            writer.key("reason")
            if let reason = enabled.reason {
                reason.write(to: &writer)
            } else {
                writer.null()
            }
        }
    }

    init(queueFull limit: Int, action: String) {
        self.init(.queueFull) { writer in
            writer.field("action", action)
            writer.field("limit", limit)
        }
    }

    /// The condition of an action could not be evaluated.
    init(conditionFailure message: String) {
        self.init(.internalError, message: "the condition failed: \(message)")
    }

    /// The store could not write or read something.
    init(_ error: StoreError) {
        self.init(.internalError, message: "\(error)") { writer in
            writer.field("cause", "store")
        }
    }

    /// Refuses a response from a client.
    static var unexpectedResponse: RPCError {
        RPCError(.invalidRequest, message: "the daemon sends no requests, so there is nothing to respond to")
    }

    /// Refuses a stream in a batch: its events would come before or between the batch's answers.
    static var streamInBatch: RPCError { RPCError(.invalidRequest, message: "a batch cannot open a stream") }

    static func limitReached(_ limit: StaticString, _ value: Int) -> RPCError {
        RPCError(.limitReached) { writer in
            writer.field("limit", "\(limit)")
            writer.field("value", value)
        }
    }

    static func notFound(_ kind: HostedKind, _ name: String) -> RPCError {
        switch kind {
        case .action: notFound("action", name)
        case .reactor: notFound("reactor", name)
        case .stream: notFound("stream", name)
        }
    }

    /// - Parameters:
    ///   - name: the name of an action or a reactor, where that of a stream is expected.
    ///   - kind: what it is.
    ///   - streams: the streams that give elements to it.
    static func notFound(stream name: String, whichIs kind: HostedKind, with streams: [String]) -> RPCError {
        let kind = kind == .reactor ? "a reactor" : "an action"
        let hint =
            switch streams.count {
            case 0: "it has no stream"
            case 1: "its stream is \(streams[0])"
            default: "its streams are \(streams.joined(separator: ", "))"
            }
        return RPCError(.notFound, message: "\(name) is \(kind); \(hint)") { writer in
            writer.field("stream", name)
            writer.array("streams") { writer in
                for stream in streams { writer.string(stream) }
            }
        }
    }

    static func notFound(_ kind: StaticString, _ name: String) -> RPCError {
        RPCError(.notFound, message: "no such \(kind): \(name)") { writer in
            writer.key(kind)
            writer.string(name)
        }
    }

    /// - Parameters:
    ///   - cursor: the requested cursor, if there was one.
    ///   - oldest: the cursor to go on from; nil for a cursor of an unknown log.
    static func cursorExpired(_ cursor: String?, oldest: String?) -> RPCError {
        RPCError(.cursorExpired) { writer in
            if let cursor { writer.field("cursor", cursor) }
            writer.key("oldest")
            if let oldest { writer.string(oldest) } else { writer.null() }
        }
    }

    /// The same error with its execution among the facts.
    func adding(execution: String) -> RPCError {
        guard let data, data.utf8.count > 2, let last = data.utf8.lastIndex(of: UInt8(ascii: "}")) else { return self }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("execution", execution)
        var bytes = Array(data.utf8[..<last])
        bytes.append(UInt8(ascii: ","))
        bytes.append(contentsOf: writer.bytes[1...])
        bytes.append(UInt8(ascii: "}"))
        return RPCError(code: code, message: message, data: RawJSON(unchecked: bytes))
    }
}

extension ProgramPlace {
    /// Writes the fields `rule` or `merge`, `program`, `file`, and `line` into an object that has begun.
    fileprivate func write(to writer: inout JSONWriter) {
        switch part {
        case nil: break
        case .rule(let index): writer.field("rule", index)
        case .merge(let index): writer.field("merge", index)
        }
        writer.field("program", program)
        guard let source else { return }
        writer.field("file", source.file)
        writer.field("line", source.line)
    }
}
