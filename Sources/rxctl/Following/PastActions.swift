internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Prints what led to a reactor's newest states.
struct PastActions {
    private let session: DaemonSession
    private let reactor: JSONValue
    private let params: RawJSON
    private let showsTable: Bool

    /// - Parameters:
    ///   - options: `limit` and `before` of `reactor.history`.
    ///   - showsTable: whether to print a table instead of JSON.
    init(_ session: DaemonSession, reactor: String, _ options: JSONObject, showsTable: Bool) {
        self.session = session
        self.showsTable = showsTable
        self.reactor = .string(reactor)
        var params: JSONObject = ["reactor": .string(reactor)]
        for option in options { params[option.key] = option.value }
        self.params = RawJSON(.object(params))
    }

    /// - Parameter misuse: how the command ends if the name is that of an action.
    func start(orIfAction misuse: Ending) {
        session.link.call(.reactorHistory, params) { reply in
            guard reply.isNotFound else { return finish(reply) }
            session.link.call(.actionDescribe, RawJSON(["action": reactor])) { second in
                if case .success = second { session.finish(misuse) } else { finish(reply) }
            }
        }
    }

    /// - Parameter refusal: how the command ends if there is no such reactor either.
    func start(orIfUnknown refusal: Connection.Reply) {
        session.link.call(.reactorHistory, params) { finish($0.isNotFound ? refusal : $0) }
    }

    private func finish(_ reply: Connection.Reply) {
        session.succeed { result in
            let answer = result.value()
            let steps = answer["history"]?.array ?? []
            if showsTable {
                session.print(
                    lines: RevisionTable.lines(of: steps, at: StreamTable.now, width: TerminalWidth.ofTable))
            } else {
                for step in steps { session.print(RawJSON(step)) }
            }
            if answer["truncated"]?.bool == true, let first = steps.first?["revision"]?.int {
                session.noteOlder(before: String(first))
            }
            session.finish()
        }(reply)
    }
}
