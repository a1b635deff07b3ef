internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxRecords

/// What changes of an action, as `action.list` with `levels` reports it: for views that are drawn again and again.
struct ActionNow: Sendable {
    /// Bytes without ends.
    static let usualBytes = 192
    /// Bytes of the last ends of one action.
    static let bytesOfEnds = Limits.endsOfAction * 128

    private let action: HostedAction
    private let levels: ActionLevels
    /// The last ends, oldest first; nil if they are not wanted, or the client may not see the executions.
    private let ends: [ExecutionRecord]?

    /// The action as `client` may see it.
    ///
    /// - Parameter names: the actions whose last ends are wanted.
    init(
        _ action: HostedAction, _ levels: ActionLevels, of host: Host, withEnds names: Set<String>, to client: Client
    ) {
        self.action = action
        self.levels = client.shown(levels)
        ends =
            names.contains(action.name) && client.rights(on: action).contains(.subscribe)
            ? host.log.lastEnds(of: action, Limits.endsOfAction) : nil
    }

    /// - Parameter next: when actions start next, by their names.
    func write(_ next: [String: Int64], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("action", action.name)
        writer.field("inFlight", levels.executions.count)
        writer.field("queued", levels.queued)
        levels.enabled.write(to: &writer)
        writer.key("next")
        writer.time(next[action.name])
        if let ends {
            writer.array("since") { writer in
                for execution in levels.executions.prefix(Limits.endsOfAction) { writer.time(execution.startedAt) }
            }
            writer.array("ends") { writer in
                for end in ends {
                    writer.object { writer in
                        writer.field("state", end.state.rawValue)
                        writer.key("startedAt")
                        writer.time(end.startedAt)
                        writer.key("endedAt")
                        writer.time(end.endedAt)
                    }
                }
            }
        }
        writer.endObject()
    }
}
