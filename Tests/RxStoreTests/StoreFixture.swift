import Dispatch
import Glibc
import RxAction
import RxJSON
import TestSupport
import Testing

@testable import RxPlatform
@testable import RxRecords
@testable import RxStore

/// A directory for a store's files, which ends with the test.
final class StoreFile: Sendable {
    let directory: String
    var path: String { directory + "/rxd.db" }

    init() {
        var template = Array("/tmp/rxd-store-XXXXXX".utf8CString)
        directory = template.withUnsafeMutableBufferPointer { buffer in
            String(cString: mkdtemp(buffer.baseAddress!))
        }
    }

    deinit {
        removeFiles(in: directory)
    }

    /// Opens a store whose clock stands still.
    func open(
        _ retention: ExecutionStore.Retention = .init(), waitingBytes: Int = StoreLimits.waitingBytes,
        at time: Int64 = 0, recovers: Bool = false, on disk: Disk = .system,
        failures: Heard<StoreError> = Heard()
    ) throws(StoreError) -> ExecutionStore {
        try ExecutionStore(
            path: path, retention: retention, waitingBytes: waitingBytes, recovers: recovers,
            platform: Platform(wallClock: WallClock { time }, disk: disk)
        ) { error in
            // The files stay as long as the store.
            withExtendedLifetime(self) { failures.add(error) }
        }
    }

    /// The files as they are now, in another directory: what a killed daemon leaves. Nothing may be written meanwhile.
    func killed() throws -> StoreFile {
        let copy = StoreFile()
        for suffix in ["", "-wal", "-lock"] {
            guard let size = Disk.system.size(path + suffix) else { continue }
            let bytes = try Disk.system.read(path + suffix, size)
            try #require(Disk.system.makeFile(copy.path + suffix, 0o600) == 0)
            let file = try #require(fopen(copy.path + suffix, "w"))
            defer { fclose(file) }
            try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        }
        return copy
    }

    /// Opens the database as another program does.
    func look<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try body(Database(path: path, on: .system))
    }
}

/// Removes a directory and the files in it.
func removeFiles(in directory: String) {
    for name in fileNames(in: directory) { unlink("\(directory)/\(name)") }
    rmdir(directory)
}

/// The names of the files in a directory, sorted.
func fileNames(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
}

/// The outcome of a write.
func outcome(_ call: (@escaping @Sendable (StoreError?) -> Void) -> Void) async -> StoreError? {
    await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }
}

extension WorkQueue {
    private var dispatchQueue: DispatchQueue { (self as! DispatchWorkQueue).queue }

    /// Suspends the queue once nothing runs on it, as a disk that hangs does.
    func hang() { dispatchQueue.sync { dispatchQueue.suspend() } }

    func resume() { dispatchQueue.resume() }
}

extension ExecutionStore {
    /// Stops the growth of the file, as a full disk does.
    func limit(pages: Int) throws {
        try writes.queue.sync { try writes.writer?.database.execute("PRAGMA max_page_count = \(pages)") }
    }

    /// Refuses all writes to the file, as a disk that fails does, or takes them again.
    func disk(fails: Bool) throws {
        try writes.queue.sync { try writes.writer?.database.execute("PRAGMA query_only = \(fails ? 1 : 0)") }
    }

    /// Waits until all pending writes are done.
    func flush() async {
        _ = await outcome { set(nil, of: "flush", completion: $0) }
    }

    func page(
        actions: Set<String>? = nil, states: Set<ExecutionState>? = nil, before: ExecutionID? = nil,
        in scope: ExecutionScope? = nil, limit: Int = 1000
    ) async throws -> ExecutionPage {
        var selection = ExecutionSelection()
        selection.actions = actions
        selection.states = states
        selection.before = before
        selection.scope = scope
        return try await page(selection, limit: limit)
    }

    func page(
        _ selection: ExecutionSelection, _ order: ExecutionOrder = .newestFirst, limit: Int = 1000
    ) async throws -> ExecutionPage {
        try await answer { records(selection, order, limit: limit, completion: $0) }.get()
    }

    func keptOutput(of id: ExecutionID) async throws -> KeptOutput? {
        try await answer { output(of: id, completion: $0) }.get()
    }

    func found(_ id: ExecutionID) async throws -> ExecutionRecord? {
        try await answer { record(id, completion: $0) }.get()
    }
}

extension ExecutionRecord {
    static func made(
        _ state: ExecutionState, action: String = "deploy", by: Origin = .host, input: String? = nil,
        id: ExecutionID = ExecutionID(), endedAt: Int64 = 30, error: ExecutionError? = nil
    ) -> ExecutionRecord {
        ExecutionRecord(
            id: id, action: action, causes: Causes(by), input: input.map { RawJSON(unchecked: Array($0.utf8)) },
            state: state,
            queuedAt: 10, startedAt: state == .queued ? nil : 20, endedAt: state.isFinal ? endedAt : nil,
            elements: state.isFinal ? 3 : 0, error: error)
    }

    /// All fields in one line, for comparisons.
    var text: String {
        "\(id) \(action) \(state) \(by) \(input?.text ?? "none") \(queuedAt) \(startedAt ?? -1) \(endedAt ?? -1) "
            + "\(elements) \(error.map { "\($0.state) \($0.stored)" } ?? "none")"
    }
}
