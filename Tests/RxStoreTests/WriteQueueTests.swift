import Rx
import RxPlatform
import Testing
import TestSupport

@testable import RxStore

/// Writes nothing, and fails to move the log while it is stuck.
private final class StuckWriter: GroupWriter {
    let isStuck = Locked(true)

    func write(_ group: ArraySlice<Write>, at time: Int64) -> [StoreError?] {
        [StoreError?](repeating: nil, count: group.count)
    }

    func trim(at time: Int64) throws(StoreError) -> Bool { false }

    func checkpointIfNeeded() throws(StoreError) {
        if isStuck.withLock({ $0 }) { throw .moved(path: "log") }
    }
}

@Suite("A queue of writes", .countedApart)
struct WriteQueueTests {
    @Test("reports a log that cannot be moved once, until that works again", .ownThreads)
    func stuckLog() throws {
        let file = StoreFile()
        let (heard, writer) = (Heard<StoreError>(), StuckWriter())
        let queue = WriteQueue(
            writer, try DatabaseFile(path: file.path, schema: .executions, disk: .system, recovers: false),
            limit: StoreLimits.waitingBytes, platform: .system, onFailure: { heard.add($0) })
        func write() {
            queue.add(Write(.reserved(through: 1), nil))
            queue.flush()
        }
        for bout in 1...2 {
            writer.isStuck.withLock { $0 = true }
            for _ in 0..<3 { write() }
            #expect(heard.values == [StoreError](repeating: .moved(path: "log"), count: bout))
            writer.isStuck.withLock { $0 = false }
            write()
        }
        #expect(queue.lost == 0)
        queue.close()
    }
}
