internal import RxHost
internal import RxJSON
internal import RxStore

/// Reads the steps for one answer, newest first and page by page, because a step may be as long as the whole answer.
// Unchecked: one page is read after another.
final class ReactorPages: @unchecked Sendable {
    /// Steps of the first page and the most of one; each page is twice as long as the one before.
    private static let (first, most) = (4, 256)

    private let reactor: HostedReactor
    private let limit: Int
    private let mostBytes: Int
    private let uid: UInt32
    private let workers: RequestWorkers
    /// Newest first.
    private var steps: [KeptStep] = []
    private var bytes = 0
    private var page = first

    init(of reactor: HostedReactor, limit: Int, atMost bytes: Int, for uid: UInt32, on workers: RequestWorkers) {
        self.reactor = reactor
        self.limit = limit
        mostBytes = bytes
        self.uid = uid
        self.workers = workers
    }

    func read(before revision: UInt64?, _ finish: @escaping @Sendable (Result<[UInt8], StoreError>) -> Void) {
        reactor.history(before: revision, limit: min(limit - steps.count, page), for: uid) { [self] result in
            workers.run(for: uid) { [self] in
                switch result {
                case nil: finish(.success(text(hasMore: false)))
                case .failure(let error)?: finish(.failure(error))
                case .success(let read)?:
                    guard take(read) else { return finish(.success(text(hasMore: true))) }
                    guard read.hasMore else { return finish(.success(text(hasMore: false))) }
                    self.read(before: read.steps.first?.revision ?? revision, finish)
                }
            }
        }
    }

    /// - Returns: whether there may be more in the answer.
    private func take(_ read: ReactorPage) -> Bool {
        // If no row of a page can be read, the next one goes beyond them.
        let isStuck = read.steps.isEmpty && page >= limit
        page = read.steps.isEmpty ? limit : min(2 * page, Self.most)
        for step in read.steps.reversed() {
            bytes += step.approximateBytes
            // At least one: a client that reads page after page must get past a large one.
            guard bytes <= mostBytes || steps.isEmpty else { return false }
            steps.append(step)
        }
        return !read.hasMore || (steps.count < limit && !isStuck)
    }

    private func text(hasMore: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("reactor", reactor.name)
        writer.key("history")
        writer.beginArray()
        for step in steps.reversed() { step.write(to: &writer) }
        writer.endArray()
        if hasMore { writer.field("truncated", true) }
        writer.endObject()
        return writer.bytes
    }
}

extension KeptStep {
    /// Its size in an answer.
    fileprivate var approximateBytes: Int {
        switch change {
        case .reduced(let reduction): 200 + reduction.mutation.utf8.count + (reduction.action?.utf8.count ?? 0)
        case .replaced: 200
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("revision", revision)
        writer.key("time")
        writer.time(time)
        switch change {
        case .reduced(let reduction):
            writer.key("by")
            if let by = reduction.by { by.write(to: &writer) } else { writer.null() }
            writer.field("action", reduction.action ?? .null)
            writer.field("mutation", reduction.mutation)
        case .replaced(let cause):
            writer.field("replaced", cause.rawValue)
        }
        writer.endObject()
    }
}
