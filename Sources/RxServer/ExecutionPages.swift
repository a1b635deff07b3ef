internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxRecords
internal import RxStore

/// Collects the records for one answer: those of the host, and those of its store newest first and page by page,
/// because many long ones would take more memory than the answer. Used on other threads than the loop's.
// Unchecked: one page is read after another.
final class ExecutionPages: @unchecked Sendable {
    /// What a list is to contain.
    struct Wanted: Sendable {
        /// Nil for all actions.
        let names: Set<String>?
        /// Those of `names` that the configuration does not have.
        let unconfigured: Set<String>
        /// Nil for all states.
        let states: Set<ExecutionState>?
        /// The most records.
        let limit: Int
        /// Executions from this one on are left out.
        let before: ExecutionID?
        /// What the client may see; nil for everything.
        let scope: ExecutionScope?
    }

    typealias Finish = @Sendable (Result<[UInt8], RPCError>) -> Void

    /// Records of one page.
    private static let recordsPerPage = 256

    private let wanted: Wanted
    private let host: Host
    private let mostBytes: Int
    private let uid: UInt32
    private let workers: RequestWorkers
    /// The records of the host, then those of the pages; each newest first.
    private var texts: [(id: ExecutionID, text: RawJSON)] = []
    private var known: Set<ExecutionID> = []
    /// Whether records of the host are left out.
    private var isCut = false
    /// Bytes and number of the records of the store.
    private var (bytes, count) = (0, 0)
    private var page = recordsPerPage

    init(
        _ wanted: Wanted, of host: Host, atMost bytes: Int, for uid: UInt32, on workers: RequestWorkers
    ) {
        self.wanted = wanted
        self.host = host
        mostBytes = bytes
        self.uid = uid
        self.workers = workers
    }

    /// Calls `finish` once with the answer.
    func collect(_ finish: @escaping Finish) {
        let all = host.log.executions().filter { wanted.scope?.contains($0) ?? true }
        var unknown = wanted.unconfigured
        if !unknown.isEmpty { unknown.subtract(all.map(\.action)) }
        takeRecent(all)
        guard let store = host.store else {
            if let name = unknown.min() { return finish(.failure(.notFound("action", name))) }
            return finish(.success(text(hasOlder: false)))
        }
        guard let name = unknown.min() else { return read(store, before: wanted.before, finish) }
        // An action that is no longer configured may still have records.
        store.records(actions: unknown, in: wanted.scope, limit: 1) { [self] result in
            if case .success(let page) = result, page.records.isEmpty {
                finish(.failure(.notFound("action", name)))
            } else {
                read(store, before: wanted.before, finish)
            }
        }
    }

    private func takeRecent(_ all: [ExecutionRecord]) {
        let recent = all.filter { record in
            (wanted.names?.contains(record.action) ?? true) && (wanted.states?.contains(record.state) ?? true)
                && wanted.before.map { record.id < $0 } ?? true
        }
        known = Set(recent.map(\.id))
        var bytes = 0
        for record in recent.sorted(by: { $0.id > $1.id }) {
            texts.append((record.id, record.text))
            bytes += texts[texts.count - 1].text.utf8.count
            // The rest would not be in the answer.
            guard bytes <= mostBytes else { break }
        }
        isCut = texts.count < recent.count
    }

    private func read(_ store: ExecutionStore, before: ExecutionID?, _ finish: @escaping Finish) {
        store.records(
            actions: wanted.names, states: wanted.states, before: before, in: wanted.scope,
            limit: min(wanted.limit - count, page)
        ) { [self] result in
            workers.run(for: uid) { [self] in
                switch result {
                case .failure(let error): finish(.failure(RPCError(error)))
                case .success(let read):
                    guard take(read) else { return finish(.success(text(hasOlder: read.hasOlder))) }
                    self.read(store, before: read.records.first?.id ?? before, finish)
                }
            }
        }
    }

    /// - Returns: whether the next page may be in the answer.
    private func take(_ read: ExecutionPage) -> Bool {
        for record in read.records.reversed() {
            count += 1
            guard !known.contains(record.id) else { continue }
            let text = record.text
            bytes += text.utf8.count
            texts.append((record.id, text))
        }
        // If no row of a page can be read, the next one goes beyond them.
        let isStuck = read.records.isEmpty && page >= wanted.limit
        if read.records.isEmpty { page = wanted.limit }
        return read.hasOlder && bytes <= mostBytes && count < wanted.limit && !isStuck
    }

    /// The answer: as many of the newest records as an outbox may hold, oldest first, because a client that reads
    /// nothing must not fill the memory.
    private func text(hasOlder: Bool) -> [UInt8] {
        texts.sort { $0.id > $1.id }
        var fitting = 0
        var bytes = 0
        for record in texts.prefix(wanted.limit) {
            bytes += record.text.utf8.count + 1
            // At least one record: a client that reads page after page must get past a large one.
            guard bytes <= mostBytes || fitting == 0 else { break }
            fitting += 1
        }
        var writer = JSONWriter(reserving: bytes + 64)
        writer.beginObject()
        writer.key("executions")
        writer.beginArray()
        for record in texts[..<fitting].reversed() { writer.raw(record.text) }
        writer.endArray()
        writer.field("truncated", hasOlder || fitting < texts.count || isCut)
        writer.endObject()
        return writer.bytes
    }
}

extension ExecutionRecord {
    fileprivate var text: RawJSON {
        var writer = JSONWriter()
        write(to: &writer)
        return RawJSON(unchecked: writer.bytes)
    }
}
