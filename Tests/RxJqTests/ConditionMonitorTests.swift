import HostTestSupport
import Rx
import RxAction
import RxHost
import RxJSON
import RxRecords
import Testing

@testable import RxJq

@Suite("The conditions of actions")
struct ConditionMonitorTests {
    @Test("do not bind an action that a reload removes: its queued executions end, and it comes back without them")
    func removed() throws {
        let (first, ended) = (PublishSubject<RawJSON>(), Locked(0))
        let action = ActionDefinition(
            name: "a", kind: "test", overlap: .queue(limit: 2), scheduler: .inline, fingerprint: "a"
        ) { invocation in
            invocation.input.value() == 1
                ? first.asObservable() : Observable<RawJSON>.empty().do(onCompleted: { ended.withLock { $0 += 1 } })
        }
        let host = Host([action])
        let hosted = try #require(host.registry["a"])
        let monitor = ConditionMonitor(host: host, jqHost: FakeHost(), platform: SimulatedPlatform())
        func isTaken(_ input: JSONValue) -> Bool {
            switch host.submit(hosted, ExecutionRequest(input: RawJSON(input), by: .host)) {
            case .refused: return false
            case .done: return true
            case .accepted(let accepted):
                accepted.goOnUnreported()
                return true
            }
        }
        #expect(isTaken(1) && isTaken(2))
        monitor.watch(["a": ReactorCondition(reactor: "mode", when: "false")])
        #expect(!isTaken(3), "the condition does not hold")
        host.reload([])
        monitor.watch([:])
        #expect(ended.withLock { $0 } == 0)
        first.onCompleted()
        #expect(ended.withLock { $0 } == 1 && host.log.inFlight.isEmpty)
        host.reload([action])
        #expect(isTaken(2))
        #expect(ended.withLock { $0 } == 2)
    }
}
