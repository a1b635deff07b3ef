import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxPlatform
import RxRecords
import RxStreams
import Testing

@Suite("Many streams that read the events of one action")
struct ActionReadersTests {
    /// All queues of a host: their work waits until the test runs it, piece by piece.
    private final class Pieces: WorkQueue, @unchecked Sendable {
        // Unchecked: the state is locked.
        private let waiting = Locked<[@Sendable () -> Void]>([])

        var count: Int { waiting.withLock { $0.count } }

        override func async(_ body: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(body) } }
        override func run(_ body: () -> Void) { body() }

        func runNext() { waiting.withLock { $0.removeFirst() }() }
    }

    private final class Receiver: SourceReceiver {
        private let received = Locked<[Int]>([])
        var numbers: [Int] { received.withLock { $0 } }

        func receive(_ elements: [SourceElement]) {
            received.withLock { $0 += elements.compactMap { $0.value.value()["value"]?.int } }
        }
        func report(waiting reason: String?) {}
        func report(error message: String, element: RawJSON?) {}
        func report(lost count: Int?) { Issue.record("lost \(count ?? 0)") }
        func finish() {}
    }

    private static let streams = 100
    /// More than a batch.
    private static let elements = 600

    private let queue = Pieces()
    private let host: Host
    private let sources: [ActionSource]
    private let receivers = (0..<streams).map { _ in Receiver() }

    init() {
        let queue = queue
        let numbers = ActionDefinition(name: "src", kind: "test", scheduler: .inline, fingerprint: "src") { _ in
            .from((0..<Self.elements).map { RawJSON(unchecked: Array("\($0)".utf8)) })
        }
        host = Host([numbers], platform: Platform(queues: Queues(shared: queue) { _ in queue }))
        let readers = ActionReaders(host)
        sources = (0..<Self.streams).map { _ in ActionSource(["src"], channels: ["elements"], readers: readers) }
        for (source, receiver) in zip(sources, receivers) { source.start(after: nil, into: receiver) }
        while queue.count > 0 { queue.runNext() }
    }

    private func execute() throws {
        let action = try #require(host.registry["src"])
        guard case .accepted(let accepted) = host.submit(action, ExecutionRequest(input: .null, by: .host)) else {
            Issue.record("refused")
            return
        }
        accepted.goOnUnreported()
    }

    @Test("whoever publishes them has one piece of work done, in which one stream gets one batch")
    func turns() throws {
        try execute()
        #expect(queue.count == 1)
        var counts = receivers.map { _ in 0 }
        while queue.count > 0 {
            queue.runNext()
            #expect(queue.count <= 1)
            let now = receivers.map(\.numbers.count)
            let grown = zip(sources, zip(counts, now)).filter { $1.0 < $1.1 }
            #expect(grown.count <= 1)
            // Nobody gets a second batch before all others have the first one.
            if grown.contains(where: { $1.0 > 0 }) { #expect(!counts.contains(0)) }
            for (source, _) in grown { source.settled(through: nil) }
            counts = now
        }
        #expect(receivers.allSatisfy { $0.numbers == Array(0..<Self.elements) })
        for source in sources { source.stop() }
    }

    @Test("one that has stopped, or does not settle what it has, keeps no other back")
    func others() throws {
        try execute()
        sources[0].stop()
        while queue.count > 0 {
            let before = receivers.map(\.numbers.count)
            queue.runNext()
            let grown = sources.indices.filter { receivers[$0].numbers.count > before[$0] }
            for index in grown where index > 1 { sources[index].settled(through: nil) }
        }
        #expect(receivers[0].numbers.isEmpty)
        #expect((1..<Self.elements).contains(receivers[1].numbers.count))
        #expect(receivers[2...].allSatisfy { $0.numbers == Array(0..<Self.elements) })
        sources[1].settled(through: nil)
        for source in sources[2...] { source.stop() }
        while queue.count > 0 { queue.runNext() }
        #expect(receivers[1].numbers.count > 256)
        sources[1].stop()
        try execute()
        #expect(queue.count == 0)
    }
}
