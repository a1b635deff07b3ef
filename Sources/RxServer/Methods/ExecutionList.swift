internal import RxStore
internal import RxRecords
internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// `execution.list`: the newest executions, oldest first: in flight, ended lately, and from the history.
struct ExecutionList: MethodHandler {
    static let method = Method.executionList
    static let onlyAnswers = true

    private let call: Call
    // Sets, since each record is looked up.
    private let names: Set<String>?
    private let states: Set<ExecutionState>?
    private let limit: Int
    private let before: ExecutionID?
    /// What the client may see; nil for everything.
    private let scope: ExecutionScope?

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        names = try parameters.optionalStrings("action").map { Set($0) }
        states = try Self.states(parameters)
        limit = try parameters.optionalInt("limit", in: 1...Limits.listed) ?? Limits.listedByDefault
        if let text = try parameters.optionalString("before") {
            guard let id = ExecutionID(text) else { throw parameters.fault("before", "must be an execution's id") }
            before = id
        } else {
            before = nil
        }
        scope = call.context.rights.scope(of: call.peer, in: call.host)
        self.call = call
    }

    private static func states(_ parameters: Parameters) throws(RPCError) -> Set<ExecutionState>? {
        guard let texts = try parameters.optionalStrings("state").map({ Set($0) }) else { return nil }
        var states: Set<ExecutionState> = []
        for text in texts {
            guard let state = ExecutionState(rawValue: text) else {
                throw parameters.fault("state", "no such state: \(text)")
            }
            states.insert(state)
        }
        return states
    }

    func perform() throws(RPCError) {
        let unconfigured = try unconfiguredNames()
        call.beginLongAnswer { [self = LoopConfined(self), host = call.host] finish in
            self.value.collect(of: host, unconfigured, finish)
        } then: { result in
            switch result {
            case .success(let text): call.reply.success { $0.bytes.append(contentsOf: text) }
            case .failure(let error): call.reply.failure(error)
            }
        }
    }

    /// The names that the configuration does not have.
    private func unconfiguredNames() throws(RPCError) -> Set<String> {
        var unconfigured: Set<String> = []
        for name in names ?? [] {
            if let action = call.host.registry[name] {
                try call.client.authorize(.read, on: action, for: Self.method)
            } else {
                unconfigured.insert(name)
            }
        }
        return unconfigured
    }

    // MARK: On other threads

    private typealias Finish = @Sendable (Result<[UInt8], RPCError>) -> Void

    /// Collects the records, first those of `host` and then those of its store.
    private func collect(of host: Host, _ unconfigured: Set<String>, _ finish: @escaping Finish) {
        let all = host.log.executions().filter { scope?.contains($0) ?? true }
        var unknown = unconfigured
        if !unknown.isEmpty { unknown.subtract(all.map(\.action)) }
        let recent = all.filter { record in
            (names?.contains(record.action) ?? true) && (states?.contains(record.state) ?? true)
                && before.map { record.id < $0 } ?? true
        }
        guard let store = host.store else {
            if let name = unknown.min() { return finish(.failure(.notFound("action", name))) }
            return finish(.success(text(recent, [], hasOlder: false)))
        }
        guard let name = unknown.min() else { return read(store, recent, finish) }
        // An action that is no longer configured may still have records.
        store.records(actions: unknown, in: scope, limit: 1) { [self = LoopConfined(self)] result in
            if case .success(let page) = result, page.records.isEmpty {
                finish(.failure(.notFound("action", name)))
            } else {
                self.value.read(store, recent, finish)
            }
        }
    }

    private func read(_ store: ExecutionStore, _ recent: [ExecutionRecord], _ finish: @escaping Finish) {
        store.records(actions: names, states: states, before: before, in: scope, limit: limit) {
            [self = LoopConfined(self), workers = call.context.workers, uid = call.peer.uid] result in
            workers.run(for: uid) {
                switch result {
                case .success(let page):
                    finish(.success(self.value.text(recent, page.records, hasOlder: page.hasOlder)))
                case .failure(let error): finish(.failure(RPCError(error)))
                }
            }
        }
    }

    private func text(_ recent: [ExecutionRecord], _ past: [ExecutionRecord], hasOlder: Bool) -> [UInt8] {
        let known = Set(recent.map(\.id))
        let records = (recent + past.filter { !known.contains($0.id) }).sorted { $0.id < $1.id }
        let (newest, isTruncated) = newest(records.suffix(limit))
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("executions")
        writer.beginArray()
        for record in newest { writer.raw(record) }
        writer.endArray()
        writer.field("truncated", isTruncated || hasOlder || records.count > limit)
        writer.endObject()
        return writer.bytes
    }

    /// As many of the newest records as an outbox may hold, oldest first: a client that reads nothing must not fill the
    /// memory.
    private func newest(_ records: ArraySlice<ExecutionRecord>) -> (records: [RawJSON], isTruncated: Bool) {
        var newest: [RawJSON] = []
        var bytes = 0
        for record in records.reversed() {
            var writer = JSONWriter()
            record.write(to: &writer)
            bytes += writer.bytes.count + 1
            // At least one record: a client that reads page after page must get past a large one.
            guard bytes <= call.context.limits.outboxBytes || newest.isEmpty else { return (newest.reversed(), true) }
            newest.append(RawJSON(unchecked: writer.bytes))
        }
        return (newest.reversed(), false)
    }
}
