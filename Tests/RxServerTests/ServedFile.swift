import Dispatch
import Glibc
import RxHost
import Testing

@testable import RxPlatform
@testable import RxStore

/// A place for a store's files that goes with the test.
final class ServedFile: Sendable {
    private let directory: String

    init() throws {
        var template = Array("/tmp/rxd-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
        try #require(made)
        directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit {
        for name in ["rxd.db", "reactors.db"] {
            for suffix in ["", "-wal", "-shm", "-lock"] { unlink("\(directory)/\(name)\(suffix)") }
        }
        rmdir(directory)
    }

    func open(_ retention: ExecutionStore.Retention = .init()) throws -> ExecutionStore {
        // The files stay as long as the store.
        try ExecutionStore(path: directory + "/rxd.db", retention: retention) { [self] error in
            withExtendedLifetime(self) { _ = Issue.record("\(error)") }
        }
    }

    /// Opens the store of the states of reactors.
    func openStates() throws -> StateStore {
        try StateStore(path: directory + "/reactors.db") { [self] error in
            withExtendedLifetime(self) { _ = Issue.record("\(error)") }
        }
    }

    /// Lets all writes, or all reads, wait from now on, as a disk that hangs does.
    func hang(_ store: ExecutionStore, reads: Bool = false) {
        let queue = queue(of: store, reads)
        queue.sync { queue.suspend() }
    }

    func resume(_ store: ExecutionStore, reads: Bool = false) { queue(of: store, reads).resume() }

    private func queue(of store: ExecutionStore, _ reads: Bool) -> DispatchQueue {
        ((reads ? store.reads.queue : store.writes.queue) as! DispatchWorkQueue).queue
    }
}
