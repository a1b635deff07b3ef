import Rx
import RxAction
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

/// Writes nothing, refuses some writes as a full disk does, and counts its attempts.
private final class FullWriter: GroupWriter {
    let attempts = Locked(0)
    private let isRefused: @Sendable (Write) -> Bool

    init(refuses isRefused: @escaping @Sendable (Write) -> Bool) { self.isRefused = isRefused }

    func write(_ group: ArraySlice<Write>, at time: Int64) -> [StoreError?] {
        attempts.withLock { $0 += 1 }
        let error: StoreError? = group.contains(where: isRefused) ? .moved(path: "full") : nil
        return [StoreError?](repeating: error, count: group.count)
    }

    func trim(at time: Int64) throws(StoreError) -> Bool { false }

    func checkpointIfNeeded() throws(StoreError) {}
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

    /// The attempts, and the reports, of a patient write and three others, each in a group of its own, by the time that
    /// the last one ends.
    private func course(_ isRefused: @escaping @Sendable (Write) -> Bool) throws -> (attempts: Int, reports: Int) {
        let file = StoreFile()
        let (heard, writer, attempts) = (Heard<StoreError>(), FullWriter(refuses: isRefused), Heard<Int>())
        let queue = WriteQueue(
            writer, try DatabaseFile(path: file.path, schema: .executions, disk: .system, recovers: false),
            limit: StoreLimits.waitingBytes, writesPerCommit: 1, platform: .system, onFailure: { heard.add($0) })
        // All in one drain, so that no timer tries again meanwhile.
        queue.queue.hang()
        queue.add(Write(.started(ExecutionID(), at: 0, isDurable: true), retry: WriteRetry(), nil))
        let counter = writer.attempts
        for number in 1...3 as ClosedRange<UInt64> {
            queue.add(Write(.reserved(through: number)) { _ in attempts.add(counter.withLock { $0 }) })
        }
        queue.queue.resume()
        queue.flush()
        defer { queue.close() }
        return (attempts.values.last ?? 0, heard.values.count)
    }

    @Test("tries again what it holds after a write that succeeds, not after one that fails", .ownThreads)
    func failing() throws {
        let all = try course { _ in true }
        #expect(all.attempts == 4 && all.reports == 1)
    }

    @Test("reports what it holds once, while other writes succeed", .ownThreads)
    func partlyFailing() throws {
        let some = try course(\.isPatient)
        #expect(some.attempts == 6 && some.reports == 1)
    }
}
