import Dispatch
import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxPlatform
import RxRecords
import RxStore
import RxStreams
import TestSupport
import Testing

/// An execution is stored in the order of its action's transitions, which another thread may deliver later.
@Suite("The position of an element that was fired before it", .ownThreads)
struct AcceptanceOrderTests {
    @Test("is not stored before the execution is")
    func position() async throws {
        let directory = TemporaryDirectory()
        let stream = StreamDefinition.of(
            "action", "s", [StepDefinition("flatMap", ["flatMap": .text("inner")])], persist: true)
        let actions: [(String, Overlap)] = [("act", .queue(limit: 100)), ("inner", .concurrent(limit: 100))]
        let first = try ExecutionStore(path: directory.path + "/rxd.db") { _ in }
        let fixture = StreamFixture(actions, store: first)
        await fixture.apply([stream], [.on("s")])
        // A thread delivers the transitions of the action, and stands still.
        let (isAtEnd, mayGoOn) = (Locked(false), DispatchSemaphore(value: 0))
        defer { mayGoOn.signal() }
        let action = try #require(fixture.host.registry["act"])
        _ = fixture.host.submit(action, ExecutionRequest(input: json("0"), by: .host)) {
            { event in
                guard case .ended = event else { return }
                isAtEnd.withLock { $0 = true }
                mayGoOn.wait()
            }
        }
        #expect(await eventually { fixture.work.inputs == [json("0")] })
        Platform.system.queues.serial("test").async { fixture.work.end() }
        #expect(await eventually { isAtEnd.withLock { $0 } })
        for number in 1...2 {
            fixture.opener["s"]?.emit([json("\(number)")], at: StreamFixture.start, position: number)
        }
        #expect(await eventually { fixture.work.inputs.count == 3 })
        fixture.work.end(json("1"))
        #expect(await eventually { fixture.firings("s").count == 1 })
        fixture.work.end(json("2"))
        #expect(await eventually { fixture.elements == [json("1"), json("2")] })
        // The turn that emitted the last element is over.
        await fixture.stop()
        first.close()
        let second = try ExecutionStore(path: directory.path + "/rxd.db") { _ in }
        let later = StreamFixture(actions, store: second)
        await later.apply([stream], [.on("s")])
        #expect(later.opener["s"]?.startPosition == nil)
        await later.stop()
        second.close()
    }
}
