import Rx
import RxAction
import RxPlatform
import RxRecords
import Testing
import TestSupport

@testable import RxHost
@testable import RxStore

@Suite("Ends that are delivered while the disk hangs", .ownThreads, .countedApart)
struct UnansweredEndsTests {
    private let file = StoreFile()

    @Test("are no interruptions after a kill: readers who lack them learn that some events are missing")
    func killed() async throws {
        let (ending, going) = (Puppet(), Puppet())
        var definitions = [ending.definition(name: "ending"), going.definition(name: "going")]
        for index in definitions.indices { definitions[index].keepsHistory = true }
        let store = try file.open()
        let host = Host(definitions, store: store)
        host.log.watch(host.registry.actions)
        await store.flush()
        let before = host.log.cursor
        for action in host.registry.actions { _ = try host.execute(action, .own()).get() }
        await store.flush()
        #expect(await eventually { host.log.isSettled })
        store.writes.queue.hang()
        ending.subject.onError(WorkFailure(message: "no"))
        #expect(await eventually { host.log.drain().events.contains { $0.text == "failure failed" } })
        let end = host.log.cursor
        let killed = try file.killed()
        store.writes.queue.resume()
        await store.flush()
        let marks = CommitMarks(try Disk.system.map(file.path + "-lock", CommitMarks.bytes))
        #expect(await eventually { marks.missing.numbers == nil && marks.ends.ids.isEmpty })
        store.close()

        for _ in 0..<2 {
            let store = try killed.open()
            let host = Host(definitions, store: store)
            func read(_ name: String, from cursor: UInt64) async throws -> [String] {
                let source = EventSource.named([try #require(host.registry[name])])
                return try await host.read(source, [.errors, .executions], from: .cursor(cursor))
            }
            #expect(try await read("ending", from: before) == ["lost some"])
            #expect(try await read("ending", from: end) == [])
            #expect(try await read("going", from: end) == ["failure interrupted", "execution interrupted"])
            #expect(try await store.page().records.map(\.action) == ["going"])
            store.close()
        }
    }

    /// An end with the number, of an execution whose first event has the number `begin`.
    private func end(_ number: UInt64, begin: UInt64) -> LoggedEvent {
        let record = ExecutionRecord.made(.failed)
        return LoggedEvent(
            number: number, begin: begin, time: 0, name: record.action, execution: record.id,
            content: .ended(record, isKeyed: false))
    }

    @Test("are noted once, unless all of the execution came after the disk began to hang, and until it answers")
    func noted() {
        var ends = UnansweredEnds()
        let events = [end(3, begin: 1), end(8, begin: 2), end(9, begin: 7), end(20, begin: 5), end(21, begin: 12)]
        ends.append(Array(events[..<3]))
        let first = ends.takeUnnoted(through: 8)
        #expect(first?.ids == events[..<2].compactMap(\.execution) && first?.begin == 1)
        #expect(ends.takeUnnoted(through: 8) == nil)
        ends.append(Array(events[3...]))
        let later = ends.takeUnnoted(through: 21)
        #expect(later?.ids == [events[2], events[3]].compactMap(\.execution) && later?.begin == 5)
        #expect(ends.answered(through: 8) == events[..<2].compactMap(\.execution))
        // It answers: what it is writing now may have the beginning of the last one.
        #expect(ends.takeUnnoted(through: 21)?.ids == [events[4]].compactMap(\.execution))
        #expect(ends.answered(through: 30).count == 3 && ends.answered(through: 30).isEmpty)
    }
}
