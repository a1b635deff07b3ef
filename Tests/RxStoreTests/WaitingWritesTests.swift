import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("Writes that wait", .countedApart)
struct WaitingWritesTests {
    private func write(_ bytes: Int) -> Write {
        let text = "\"" + String(repeating: "x", count: bytes) + "\""
        return Write(.ended(.made(.completed, input: text), isKept: true, isKeyed: false), nil)
    }

    @Test("wake the writer once, until it has found nothing more")
    func waking() {
        var waiting = WaitingWrites<Write>()
        for _ in 0..<2 {
            guard case .first = waiting.add(write(1)), case .admitted = waiting.add(write(1)) else {
                Issue.record("woken wrongly")
                return
            }
            #expect(waiting.take().count == 2)
            guard case .admitted = waiting.add(write(1)) else {
                Issue.record("woken while at work")
                return
            }
            #expect(waiting.take().count == 1)
            #expect(waiting.take().isEmpty)
        }
    }

    @Test("count until they are written, inputs and errors among their bytes, and one of any size is let in alone")
    func limit() {
        var waiting = WaitingWrites<Write>(limit: 10_000)
        let large = write(50_000)
        #expect(large.bytes > 50_000)
        let text = JSONValue.string(String(repeating: "x", count: 9_000))
        let failed = Write(
            .ended(
                .made(.failed, error: .failed(WorkFailure(message: "", facts: ["a": ["b": text]]))), isKept: true,
                isKeyed: false),
            nil)
        #expect(failed.bytes > 9_000)
        guard case .first = waiting.add(large), case .refused(.overloaded(limit: 10_000)) = waiting.add(write(1)) else {
            Issue.record("admitted wrongly")
            return
        }
        _ = waiting.take()
        guard case .refused = waiting.add(write(1)) else {
            Issue.record("what is being written was not counted")
            return
        }
        waiting.written([large])
        guard case .admitted = waiting.add(write(1)) else {
            Issue.record("still full")
            return
        }
    }

    @Test("that are owed to executions in flight are admitted beyond the limit, and count")
    func owed() {
        var waiting = WaitingWrites<Write>(limit: 10_000)
        func started(_ retry: WriteRetry?) -> Write {
            Write(.started(ExecutionID(), at: 0, isDurable: true), retry: retry, nil)
        }
        let rows = Write(.stream([StreamRow(stream: "s", name: "n", value: nil)], isDurable: true), nil)
        _ = waiting.add(write(9_400))
        let before = waiting.bytes
        let owed = started(WriteRetry())
        for _ in 0..<3 {
            guard case .admitted = waiting.add(owed), case .refused = waiting.add(started(nil)),
                case .refused = waiting.add(rows)
            else {
                Issue.record("admitted wrongly")
                return
            }
        }
        #expect(waiting.bytes == before + 3 * owed.bytes)
    }

    private struct Idle: QueuedWrite {
        var bytes = 100
        var isUrgent = false

        func end(_: StoreError?) {}
    }

    @Test("that no caller waits for wake the writer in a moment, but at once for an urgent one, or for a crowd")
    func idle() {
        var waiting = WaitingWrites<Idle>(limit: 100 * StoreLimits.crowd * 3)
        for urgent in [true, false] {
            guard case .firstLater = waiting.add(Idle()), case .admitted = waiting.add(Idle()) else {
                Issue.record("woken wrongly")
                return
            }
            #expect(!waiting.isCrowded)
            if !urgent { _ = waiting.add(Idle()) }
            guard case .first = waiting.add(Idle(isUrgent: urgent)), case .admitted = waiting.add(Idle()) else {
                Issue.record("not woken, or twice")
                return
            }
            #expect(waiting.isCrowded)
            let taken = waiting.take()
            #expect(taken.count == (urgent ? 4 : 5) && waiting.take().isEmpty)
            waiting.written(taken)
        }
    }

    private struct Shared: QueuedWrite {
        var bytes = 100
        var isUrgent = true
        let share: WriteShare?

        func end(_: StoreError?) {}
    }

    @Test("of one user leave room for the others, and one of any size is let in of each")
    func shares() {
        var waiting = WaitingWrites<Shared>(limit: 10_000)
        let (greedy, modest, late) = (WriteShare(), WriteShare(), WriteShare())
        func fill(_ share: WriteShare) -> Int {
            var count = 0
            while true {
                if case .refused = waiting.add(Shared(share: share)) { return count }
                count += 1
            }
        }
        #expect(fill(greedy) == 90)
        #expect(fill(modest) == 9)
        if case .refused = waiting.add(Shared(bytes: 50_000, share: late)) { Issue.record("nothing of it is pending") }
        #expect(fill(late) == 0)
        waiting.written(waiting.take())
        #expect(greedy.bytes == 0 && modest.bytes == 0 && late.bytes == 0 && waiting.bytes == 0)
    }
}
