internal import RxAction
internal import RxHost
internal import RxJSON

/// An action as `action.list` and `action.describe` report it.
struct ActionSummary: Sendable {
    private let definition: ActionDefinition
    private let levels: ActionLevels
    private let rights: Rights.Operations

    /// The action as `client` may see it.
    init(_ action: HostedAction, _ levels: ActionLevels, to client: Client) {
        definition = action.definition
        self.levels = client.shown(levels)
        rights = client.rights(on: action)
    }

    /// - Parameters:
    ///   - next: when actions start next, by their names.
    ///   - details: what starts this one, if that is wanted.
    func write(_ next: [String: Int64], _ details: ActionTimes.Details? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("action", definition.name)
        writer.key("description")
        writer.stringOrNull(definition.summary)
        writer.field("kind", definition.kind)
        writer.key("schema")
        writer.raw(definition.schema?.source ?? .null)
        writer.field("overlap", definition.overlap.kind.rawValue)
        writer.key("limit")
        writer.limit(definition.overlap)
        writer.field("parallel", definition.overlap.width)
        writer.key("by")
        writer.stringOrNull(definition.groups?.text)
        writer.key("timeout")
        writer.stringOrNull(definition.timeout?.rxText)
        writer.key("retry")
        writer.retry(definition.retry)
        writer.field("durable", definition.isDurable)
        writer.field("executing", levels.executing)
        writer.field("queued", levels.queued)
        levels.enabled.write(to: &writer)
        writer.key("next")
        writer.time(next[definition.name])
        details?.write(to: &writer)
        writer.key("rights")
        writer.strings(Rights.Operation.allCases.filter { rights.contains($0) }.map(\.rawValue))
        writer.endObject()
    }
}

extension JSONWriter {
    /// The limit of a queue, or of executions in flight; null if the overlap has none.
    fileprivate mutating func limit(_ overlap: Overlap) {
        switch overlap {
        case .queue(let limit, _), .concurrent(let limit): int(limit)
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
