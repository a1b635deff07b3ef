internal import RxStore
internal import RxRecords
internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

extension Session {
    /// Records that one answer may hold.
    private static let mostRecords = 10_000

    /// The newest executions that are asked for, oldest first: those in flight, those that ended lately, and the history.
    func listExecutions(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["action", "state", "limit", "before"])
        // Sets, since a line has room for a hundred thousand names, and each record is looked up.
        let names = try parameters.optionalStrings("action").map { Set($0) }
        let texts = try parameters.optionalStrings("state").map { Set($0) }
        var states: Set<ExecutionState>?
        for text in texts ?? [] {
            guard let state = ExecutionState(rawValue: text) else {
                throw parameters.fault("state", "no such state: \(text)")
            }
            states = (states ?? []).union([state])
        }
        if texts?.isEmpty ?? false { states = [] }
        let limit = try parameters.optionalInt("limit", in: 1...Session.mostRecords) ?? 1000
        var before: ExecutionID?
        if let text = try parameters.optionalString("before") {
            guard let id = ExecutionID(text) else { throw parameters.fault("before", "must be an execution's id") }
            before = id
        }
        let scope = server.rights.scope(of: connection.peer, in: server.host)
        let all = server.host.log.executions().filter { scope?.contains($0) ?? true }
        // Of an action that is no longer configured there may still be records.
        var gone: Set<String> = []
        for name in names ?? [] {
            if let action = server.host.registry[name] {
                try authorize(.read, on: action)
            } else if !all.contains(where: { $0.action == name }) {
                gone.insert(name)
            }
        }
        if server.host.store == nil, let name = gone.min() { throw .notFound("action", name) }
        let recent = all.filter { record in
            (names?.contains(record.action) ?? true) && (states?.contains(record.state) ?? true)
                && before.map { record.id < $0 } ?? true
        }
        guard let store = server.host.store else { return list(recent, [], hasOlder: false, limit: limit, reply) }
        let read = LoopConfined {
            store.records(actions: names, states: states, before: before, in: scope, limit: limit) {
                [loop = self.server.loop, session = LoopConfined(self), reply = LoopConfined(reply)] result in
                loop.execute {
                    switch result {
                    case .success(let page):
                        session.value.list(
                            recent, page.records, hasOlder: page.hasOlder, limit: limit, reply.value)
                    case .failure(let error):
                        reply.value.failure(RPCError(error))
                    }
                }
            }
        }
        guard let name = gone.min() else { return read.value() }
        store.records(actions: gone, in: scope, limit: 1) { [loop = server.loop, reply = LoopConfined(reply)] result in
            loop.execute {
                if case .success(let page) = result, page.records.isEmpty {
                    reply.value.failure(.notFound("action", name))
                } else {
                    read.value()
                }
            }
        }
    }

    private func list(
        _ recent: [ExecutionRecord], _ past: [ExecutionRecord], hasOlder: Bool, limit: Int, _ reply: Reply
    ) {
        let known = Set(recent.map(\.id))
        let records = (recent + past.filter { !known.contains($0.id) }).sorted { $0.id < $1.id }
        let (newest, isTruncated) = newest(records.suffix(limit))
        reply.success { writer in
            writer.beginObject()
            writer.key("executions")
            writer.beginArray()
            for record in newest { writer.raw(record) }
            writer.endArray()
            writer.field("truncated", isTruncated || hasOlder || records.count > limit)
            writer.endObject()
        }
    }

    /// As many of the newest records as an outbox may hold, oldest first; a reader of nothing must not fill the memory.
    private func newest(_ records: ArraySlice<ExecutionRecord>) -> (records: [RawJSON], isTruncated: Bool) {
        var newest: [RawJSON] = []
        var bytes = 0
        for record in records.reversed() {
            var writer = JSONWriter()
            record.write(to: &writer)
            bytes += writer.bytes.count + 1
            // One record at least: whoever goes on from page to page must come past a large one.
            guard bytes <= server.limits.outboxBytes || newest.isEmpty else { return (newest.reversed(), true) }
            newest.append(RawJSON(unchecked: writer.bytes))
        }
        return (newest.reversed(), false)
    }
}
