import RxStore
import Glibc
import RxHost
import Testing

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
        for suffix in ["", "-wal", "-shm", "-lock"] { unlink(directory + "/rxd.db" + suffix) }
        rmdir(directory)
    }

    func open(_ retention: ExecutionStore.Retention = .init()) throws -> ExecutionStore {
        // The files stay as long as the store.
        try ExecutionStore(path: directory + "/rxd.db", retention: retention) { [self] error in
            withExtendedLifetime(self) { _ = Issue.record("\(error)") }
        }
    }
}
