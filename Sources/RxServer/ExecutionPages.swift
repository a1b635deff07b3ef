internal import JSONRPC
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxRecords
internal import RxStore

/// Collects the records for one answer: those of the host, and those of its store page by page, because many long ones
/// would take more memory than the answer. Used on other threads than the loop's.
// Unchecked: one page is read after another.
final class ExecutionPages: @unchecked Sendable {
    /// What a list is to contain.
    struct Wanted: Sendable {
        let selection: ExecutionSelection
        /// The wanted actions that the configuration does not have.
        let unconfigured: Set<String>
        let order: ExecutionOrder
        /// The most records.
        let limit: Int
    }

    typealias Finish = @Sendable (Result<[UInt8], RPCError>) -> Void

    /// Records of one page.
    private static let recordsPerPage = 256
    /// The most pages of one answer, each of which goes through a bounded number of rows, so that a search through a
    /// long history is many short requests, whose rights are checked. Enough for the most records of an answer.
    static let mostPages = 64

    private let wanted: Wanted
    private let host: Host
    private let mostBytes: Int
    private let uid: UInt32
    private let workers: RequestWorkers
    /// The records of the host, then those of the pages; each in the order of the list.
    private var texts: [(id: ExecutionID, text: RawJSON)] = []
    private var known: Set<ExecutionID> = []
    /// Whether records of the host are left out.
    private var isCut = false
    /// Bytes and number of the records of the store, and the number of its pages.
    private var (bytes, count, pages) = (0, 0, 0)
    /// Up to where the store was read; nil if to its end.
    private var next: ExecutionID?

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
        let all = host.log.executions()
        var unknown = wanted.unconfigured
        if !unknown.isEmpty {
            unknown.subtract(all.filter { wanted.selection.scope?.contains($0) ?? true }.map(\.action))
        }
        takeRecent(all)
        guard let store = host.store else {
            if let name = unknown.min() { return finish(.failure(.notFound("action", name))) }
            return finish(.success(text()))
        }
        if unknown.isEmpty { return read(store, finish) }
        // An action that is no longer configured may still have records.
        var ofUnknown = ExecutionSelection()
        ofUnknown.actions = unknown
        ofUnknown.scope = wanted.selection.scope
        find(ofUnknown, in: store, finish)
    }

    /// Reads the list if the store has a record of the selection.
    private func find(_ selection: ExecutionSelection, in store: ExecutionStore, _ finish: @escaping Finish) {
        store.records(selection, limit: 1, for: uid) { [self] result in
            guard case .success(let page) = result, page.records.isEmpty else { return read(store, finish) }
            guard let next = page.next else {
                return finish(.failure(.notFound("action", selection.actions?.min() ?? "")))
            }
            var rest = selection
            rest.before = next
            find(rest, in: store, finish)
        }
    }

    private func takeRecent(_ all: [ExecutionRecord]) {
        let recent = all.filter { wanted.selection.contains($0) || hasTextInMemory($0) }
        known = Set(recent.map(\.id))
        var bytes = 0
        for record in recent.sorted(by: { isFirst($0.id, $1.id) }) {
            texts.append((record.id, record.text))
            bytes += texts[texts.count - 1].text.utf8.count
            // The rest would not be in the answer.
            guard bytes <= mostBytes else { break }
        }
        isCut = texts.count < recent.count
    }

    /// Whether the searched text is in output that the store does not have yet.
    private func hasTextInMemory(_ record: ExecutionRecord) -> Bool {
        guard let text = wanted.selection.text else { return false }
        var others = wanted.selection
        others.text = nil
        return others.contains(record) && host.outputInMemory(of: record.id).map { text.isIn($0) } ?? false
    }

    private func read(_ store: ExecutionStore, _ finish: @escaping Finish) {
        var rest = wanted.selection
        if let next {
            switch wanted.order {
            case .newestFirst: rest.before = next
            case .oldestFirst: rest.after = next
            }
        }
        let limit = min(wanted.limit - count, Self.recordsPerPage)
        store.records(rest, wanted.order, limit: limit, for: uid) { [self] result in
            workers.run(for: uid) { [self] in
                switch result {
                case .failure(let error): finish(.failure(RPCError(error)))
                case .success(let page):
                    guard take(page) else { return finish(.success(text())) }
                    read(store, finish)
                }
            }
        }
    }

    /// - Returns: whether the next page may be in the answer.
    private func take(_ page: ExecutionPage) -> Bool {
        for record in wanted.order == .newestFirst ? page.records.reversed() : page.records {
            count += 1
            guard !known.contains(record.id) else { continue }
            let text = record.text
            bytes += text.utf8.count
            texts.append((record.id, text))
        }
        next = page.next
        pages += 1
        return next != nil && bytes <= mostBytes && count < wanted.limit && pages < Self.mostPages
    }

    private func isFirst(_ one: ExecutionID, _ other: ExecutionID) -> Bool {
        wanted.order == .newestFirst ? one > other : one < other
    }

    /// The answer: as many of the first records as an outbox may hold, oldest first, because a client that reads
    /// nothing must not fill the memory.
    private func text() -> [UInt8] {
        texts.sort { isFirst($0.id, $1.id) }
        // The store may have records between those beyond.
        let read = texts.prefix { record in next.map { !isFirst($0, record.id) } ?? true }
        var fitting = 0
        var bytes = 0
        for record in read.prefix(wanted.limit) {
            bytes += record.text.utf8.count + 1
            // At least one record: a client that reads page after page must get past a large one.
            guard bytes <= mostBytes || fitting == 0 else { break }
            fitting += 1
        }
        let isWhole = fitting == read.count && !(isCut && read.count == texts.count)
        let position = isWhole ? next : texts[..<fitting].last?.id
        var writer = JSONWriter(reserving: bytes + 128)
        writer.beginObject()
        writer.key("executions")
        writer.beginArray()
        let records = texts[..<fitting]
        for index in records.indices {
            writer.raw(records[wanted.order == .newestFirst ? fitting - 1 - index : index].text)
        }
        writer.endArray()
        writer.field("truncated", position != nil)
        if let position {
            writer.key(wanted.order == .newestFirst ? "before" : "after")
            writer.string(position.description)
        }
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
