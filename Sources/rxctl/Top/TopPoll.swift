internal import RxClient
internal import RxJSON
internal import RxProtocol

/// One snapshot after the other: levels, not events, so that it costs the same however much happens.
///
/// A snapshot is a few requests at once. The next one begins when all are answered, so a slow daemon gets fewer.
final class TopPoll {
    struct Answer {
        let snapshot: TopSnapshot
        /// What the daemon describes of the selected item; nil if that has not changed, or is not known.
        let details: TopState.Details?
        /// The answers of the daemon, as JSON.
        let facts: JSONObject
    }

    private let session: DaemonSession
    /// The item that was described last, and its revision, if it is a reactor.
    private var described: (id: String, revision: Int?)?

    init(_ session: DaemonSession) { self.session = session }

    /// Calls `then` once. A refusal that will not pass ends the command.
    ///
    /// - Parameter ends: the actions whose last ends are wanted.
    func take(
        for state: TopState, ends: [String], then: @escaping (Result<Answer, ClientError>) -> Void
    ) {
        var results: [Method: JSONValue] = [:]
        var failure: ClientError?
        var left = 4
        func finish() {
            left -= 1
            guard left == 0 else { return }
            if let failure { return then(.failure(failure)) }
            let snapshot = Self.snapshot(results)
            let facts = Self.facts(results)
            describe(state, snapshot) { then(.success(Answer(snapshot: snapshot, details: $0, facts: facts))) }
        }
        func request(_ method: Method, _ params: RawJSON?) {
            session.link.call(method, params) { [session] reply in
                switch reply {
                case .success(let result): results[method] = result.value()
                case .failure(.refused(let refusal)) where !ClientError.refused(refusal).mayPass:
                    session.finish(.refused(refusal))
                case .failure(let error): failure = error
                }
                finish()
            }
        }
        request(.serverStatus, RawJSON(["process": true]))
        var levels: JSONObject = ["levels": true]
        if !ends.isEmpty { levels["ends"] = .array(ends.map { .string($0) }) }
        request(.actionList, RawJSON(.object(levels)))
        request(.reactorList, nil)
        request(.streamList, nil)
    }

    private static func snapshot(_ results: [Method: JSONValue]) -> TopSnapshot {
        let actions = results[.actionList]?["actions"]?.array ?? []
        let reactors = results[.reactorList]?["reactors"]?.array ?? []
        let streams = results[.streamList]?["streams"]?.array ?? []
        return TopSnapshot(
            time: StreamTable.now, daemon: results[.serverStatus].map { TopDaemon($0) },
            items: actions.map { TopItem(action: $0) } + reactors.map { TopItem(reactor: $0) }
                + streams.map { TopItem(stream: $0) })
    }

    private static func facts(_ results: [Method: JSONValue]) -> JSONObject {
        var facts: JSONObject = [:]
        facts["status"] = results[.serverStatus]
        facts["actions"] = results[.actionList]?["actions"]
        facts["reactors"] = results[.reactorList]?["reactors"]
        facts["streams"] = results[.streamList]?["streams"]
        return facts
    }

    // MARK: The selected item

    /// Describes the selected item: a stream each time, a reactor when its revision has changed, and an action when it
    /// is selected.
    private func describe(
        _ state: TopState, _ snapshot: TopSnapshot, then: @escaping (TopState.Details?) -> Void
    ) {
        guard let item = snapshot.items.first(where: { $0.id == state.selection }) ?? snapshot.items.first else {
            return then(nil)
        }
        var revision: Int?
        if case .revision(let number) = item.level { revision = number }
        let isKnown = described.map { $0.id == item.id && $0.revision == revision } ?? false
        guard item.kind == .stream || !isKnown else { return then(nil) }
        let (method, params): (Method, JSONObject) =
            switch item.kind {
            case .action: (.actionDescribe, ["action": .string(item.name)])
            case .stream: (.streamDescribe, ["stream": .string(item.name)])
            case .reactor:
                (.reactorHistory, ["reactor": .string(item.name), "limit": JSONValue(TopDetails.mostSteps)])
            }
        session.link.call(method, RawJSON(.object(params))) { [self] reply in
            // It may be gone, or not for this user: the list is enough then.
            guard case .success(let result) = reply else { return then(nil) }
            described = (item.id, revision)
            then(TopState.Details(id: item.id, value: result.value()))
        }
    }
}
