import Dispatch
import Glibc
import RxJSON
import RxPlatform
import TestSupport
import Testing

@testable import RxRecords
@testable import RxStore

/// A directory for the files of a state store, which ends with the test.
final class ReactorFile: Sendable {
    let directory: String
    var path: String { directory + "/reactors.db" }

    init() {
        var template = Array("/tmp/rxd-reactors-XXXXXX".utf8CString)
        directory = template.withUnsafeMutableBufferPointer { buffer in
            String(cString: mkdtemp(buffer.baseAddress!))
        }
    }

    deinit {
        removeFiles(in: directory)
    }

    func open(
        mostBytes: Int = StateStore.defaultBytes, waitingBytes: Int = StoreLimits.waitingBytes,
        retryDelay: Duration = .zero, recovers: Bool = false,
        on disk: Disk = .system, failures: Heard<StoreError> = Heard()
    ) throws(StoreError) -> StateStore {
        try StateStore(
            path: path, mostBytes: mostBytes, waitingBytes: waitingBytes, retryDelay: retryDelay, recovers: recovers,
            platform: Platform(disk: disk)
        ) { error in
            // The files stay as long as the store.
            withExtendedLifetime(self) { failures.add(error) }
        }
    }

    /// Opens the database as another program does.
    func look<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try body(Database(path: path, on: .system))
    }
}

extension ReactorFile {
    /// The number of transactions in the write-ahead log. The frame that ends one has the size of the file after it.
    func commitsLogged() throws -> Int {
        let log = try bytes("-wal")
        let pageSize = log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        let salt = log[16..<24]
        return stride(from: 32, to: log.count - 24 - pageSize + 1, by: 24 + pageSize).count { frame in
            log[(frame + 8)..<(frame + 16)].elementsEqual(salt) && log[(frame + 4)..<(frame + 8)].contains { $0 != 0 }
        }
    }

    func bytes(_ suffix: String = "") throws -> [UInt8] {
        let file = try #require(fopen(path + suffix, "r"))
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: ftell(file))
        rewind(file)
        try #require(fread(&bytes, 1, bytes.count, file) == bytes.count)
        return bytes
    }

    func write(_ bytes: some Collection<UInt8>, _ suffix: String = "") throws {
        let file = try #require(fopen(path + suffix, "w"))
        defer { fclose(file) }
        try #require(fwrite(Array(bytes), 1, bytes.count, file) == bytes.count)
    }
}

extension ReactorPersistence {
    static func made(
        _ durability: Durability = .normal, history: Int = 10_000, historyBytes: Int = 64 << 20
    ) -> Self {
        var persistence = Self()
        persistence.durability = durability
        persistence.history = history
        persistence.historyBytes = historyBytes
        return persistence
    }
}

/// A reactor and its log. The state is the list of the last mutations, so that it shows how it came about.
struct LoggedReactor {
    let log: ReactorLog
    private(set) var revision: UInt64
    private(set) var state: [JSONValue]

    /// A new reactor, with a snapshot.
    init(_ log: ReactorLog, at revision: UInt64 = 0) {
        self.log = log
        self.revision = revision
        state = []
        snapshot()
    }

    /// A reactor with the stored state; nil if there is none.
    init?(restoring log: ReactorLog) throws(StoreError) {
        guard let kept = try log.restore() else { return nil }
        self.log = log
        revision = kept.revision
        state = kept.value.array ?? []
    }

    /// The number of mutations in a state: the newest ones, so that a wrong state shows and patches stay small.
    static let width = 5

    static func states(at revision: UInt64) -> [JSONValue] {
        (max(0, Int(revision) - width)..<Int(revision)).map { .number(JSONNumber($0 + 1)) }
    }

    mutating func step(padding: Int = 0, _ completion: @escaping @Sendable (StoreError?) -> Void = { _ in }) {
        revision += 1
        let isFull = state.count == Self.width
        log.append(.made(revision, removing: isFull, padding: padding), completion: completion)
        if isFull { state.removeFirst() }
        state.append(.number(JSONNumber(Int(revision))))
    }

    /// A step, and a snapshot when it is time.
    mutating func stepAsHosted(padding: Int = 0) {
        step(padding: padding)
        if log.needsSnapshot { snapshot() }
    }

    func snapshot(_ completion: @escaping @Sendable (StoreError?) -> Void = { _ in }) {
        log.snapshot(
            JSONState(.array(state)), revision: revision, time: Int64(revision), fingerprint: "one",
            completion: completion)
    }

    /// Like `snapshot`, with a state that a full disk has no room for.
    func snapshotLarge() {
        let state = state + [.string(String(repeating: "x", count: 100_000))]
        log.snapshot(JSONState(.array(state)), revision: revision, time: 0, fingerprint: "one")
    }

    /// Another state, one revision later.
    mutating func become(_ state: [JSONValue]) {
        revision += 1
        self.state = state
    }

    /// Advances the state without the log.
    mutating func lose() {
        revision += 1
        if state.count == Self.width { state.removeFirst() }
        state.append(.number(JSONNumber(Int(revision))))
    }
}

extension KeptStep {
    /// The one that leads to `revision`, with an action of about `padding` bytes.
    static func made(_ revision: UInt64, removing: Bool = false, padding: Int = 0) -> KeptStep {
        let add = #"{"op":"add","path":"/-","value":\#(revision)}"#
        let remove = removing ? #"{"op":"remove","path":"/0"},"# : ""
        return KeptStep(
            revision: revision, time: Int64(revision),
            .reduced(
                Reduction(
                    by: .peer(uid: 1000, gid: 100, pid: 7),
                    action: RawJSON(unchecked: Array("\"\(String(repeating: "x", count: padding))\"".utf8)),
                    mutation: RawJSON(unchecked: Array("\(revision)".utf8)),
                    patch: RawJSON(unchecked: Array("[\(remove)\(add)]".utf8)))))
    }

    var patchBytes: Int {
        switch change {
        case .reduced(let reduction): reduction.patch.utf8.count
        case .replaced: 0
        }
    }

    var cause: Cause? {
        switch change {
        case .reduced: nil
        case .replaced(let cause): cause
        }
    }
}

extension StateStore {
    /// Stops the growth of the file, as a full disk does.
    func limit(pages: Int) throws {
        try writes.queue.sync { try writes.writer?.database.execute("PRAGMA max_page_count = \(pages)") }
    }

    /// Refuses all writes to the file, as a disk that fails does, or takes them again.
    func disk(fails: Bool) throws {
        try writes.queue.sync { try writes.writer?.database.execute("PRAGMA query_only = \(fails ? 1 : 0)") }
    }

    /// Waits until all pending writes are done and nothing is left to trim, so that several reads after it see the same
    /// file.
    func settle() async throws {
        await flush()
        while try writes.queue.sync({ try writes.writer?.trim(at: 0) ?? false }) {}
    }

    /// The bytes of all logs.
    func bytes() -> Int { writes.queue.sync { writes.writer?.bytes ?? 0 } }

    /// Waits until all pending writes are done.
    func flush() async {
        let log = log(of: "flush", ReactorPersistence())
        _ = await outcome { completion in
            log.snapshot(JSONState(.null), revision: 0, time: 0, fingerprint: "", completion: completion)
        }
    }
}

extension ReactorLog {
    func history(before revision: UInt64? = nil, limit: Int = .max) async throws -> ReactorPage {
        try await answer { history(before: revision, limit: limit, completion: $0) }.get()
    }

    func steps(_ revisions: ClosedRange<UInt64>) async throws -> ReactorPage {
        try await answer { steps(revisions, completion: $0) }.get()
    }

    func base(atOrBefore revision: UInt64) async throws -> KeptSnapshot? {
        try await answer { base(atOrBefore: revision, completion: $0) }.get()
    }

    func state(at revision: UInt64) async throws -> [JSONValue]? {
        try await answer { state(at: revision, completion: $0) }.get()?.value.array
    }
}
