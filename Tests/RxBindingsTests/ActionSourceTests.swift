import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxRecords
import RxStreams
import TestSupport
import Testing

@Suite("The position of a source of an action")
struct ActionSourceTests {
    private final class Receiver: SourceReceiver {
        private let received = Locked<[SourceElement]>([])

        var numbers: [Int] { received.withLock { $0.compactMap { $0.value.value()["value"]?.int } } }
        var position: RawJSON? { received.withLock { $0.last?.position } }

        func receive(_ elements: [SourceElement]) { received.withLock { $0 += elements } }
        func report(waiting reason: String?) {}
        func report(error message: String, element: RawJSON?) {}
        func report(lost count: Int) {}
        func finish() {}
    }

    @Test("holds in another epoch of the log, whose numbers go on")
    func epochs() async throws {
        let host = Host([ActionDefinition(name: "src", kind: "test", fingerprint: "src") { .just($0.input) }])
        let action = try #require(host.registry["src"])
        func execute(_ number: Int) {
            let request = ExecutionRequest(input: json("\(number)"), by: .host)
            if case .accepted(let accepted) = host.submit(action, request) { accepted.goOnUnreported() }
        }
        let first = ActionSource(["src"], channels: ["elements"], host: host)
        let before = Receiver()
        first.start(after: nil, into: before)
        execute(1)
        #expect(await eventually { before.numbers == [1] })
        first.stop()
        var position = try #require(before.position?.value().object)
        position["epoch"] = "of an earlier log"
        let second = ActionSource(["src"], channels: ["elements"], host: host)
        let after = Receiver()
        second.start(after: RawJSON(.object(position)), into: after)
        execute(2)
        #expect(await eventually { !after.numbers.isEmpty })
        #expect(after.numbers == [2])
        #expect(after.position?.value()["epoch"] == nil)
        second.stop()
    }
}
