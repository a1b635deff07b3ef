internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

extension Session {
    func listActions(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        _ = try Parameters(params, known: [])
        let actions = server.host.registry.actions.filter {
            server.rights.allow(.read, on: $0, by: connection.peer)
        }
        let levels = server.host.log.snapshot(of: actions).levels
        reply.success { writer in
            writer.beginObject()
            writer.key("actions")
            writer.beginArray()
            for (action, levels) in zip(actions, levels) { describe(action, levels, to: &writer) }
            writer.endArray()
            writer.endObject()
        }
    }

    func describeAction(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["action"])
        let action = try action(parameters.string("action"), for: .read)
        let levels = server.host.log.snapshot(of: [action]).levels
        reply.success { describe(action, levels[0], to: &$0) }
    }

    private func describe(_ action: HostedAction, _ levels: ActionLevels, to writer: inout JSONWriter) {
        let definition = action.definition
        writer.beginObject()
        writer.field("action", action.name)
        writer.key("description")
        if let summary = definition.summary {
            writer.string(summary)
        } else {
            writer.null()
        }
        writer.field("kind", definition.kind)
        writer.key("schema")
        writer.raw(definition.schema?.source ?? .null)
        writer.field("overlap", definition.overlap.name)
        writer.key("limit")
        writer.limit(definition.overlap)
        writer.key("timeout")
        if let timeout = definition.timeout {
            writer.string(timeout.rxText)
        } else {
            writer.null()
        }
        writer.key("retry")
        writer.retry(definition.retry)
        writer.field("durable", definition.isDurable)
        writer.field("executing", levels.executing)
        writer.field("queued", levels.queued)
        levels.enabled.write(to: &writer)
        writer.key("rights")
        let allowed = server.rights.operations(under: definition.access, to: connection.peer)
        writer.strings(Rights.Operation.allCases.filter { allowed.contains($0) }.map(\.rawValue))
        writer.endObject()
    }
}

extension JSONWriter {
    /// The limit of a queue, or of how many may be in flight; null where the overlap has none.
    fileprivate mutating func limit(_ overlap: Overlap) {
        switch overlap {
        case .queue(let limit), .concurrent(let limit): int(limit)
        case .reject, .latest, .join: null()
        }
    }

    fileprivate mutating func retry(_ policy: RetryPolicy?) {
        guard let policy else { return null() }
        beginObject()
        field("attempts", policy.attempts)
        field("delay", policy.delay.rxText)
        key("backoff")
        value(JSONNumber(policy.backoff).map { .number($0) } ?? .null)
        field("max", policy.max.rxText)
        endObject()
    }
}

extension Overlap {
    /// The configuration's word.
    var name: String {
        switch self {
        case .reject: "reject"
        case .queue: "queue"
        case .concurrent: "concurrent"
        case .latest: "latest"
        case .join: "join"
        }
    }
}
