import RxTraits
import Testing

/// Every marble diagram in a doc comment is what the operator really does.
@Suite("Marble diagrams of the doc comments")
struct MarbleReplayTests {
    /// Calls that no replay of `MarbleReplays` covers.
    private static let notReplayed: Set<String> = [
        // The work of a task has no virtual time.
        "AsyncSequence.asObservable()", "Single.create { await work() }",
        // It prints; `HooksTests` compares the lines.
        "InfallibleType.debug()", "PrimitiveSequence.debug()", "SharedSequenceConvertibleType.debug()",
    ]

    private static let documented = Result { try DocumentedMarbles.all(in: ["Rx", "RxTraits"]) }
    private static var diagrams: [DocumentedMarbles] { (try? documented.get().diagrams) ?? [] }

    @Test("have the syntax that Rx.swift defines")
    func syntax() throws {
        let documented = try Self.documented.get()
        #expect(documented.faults == [])
        #expect(documented.diagrams.count > 200)
    }

    @Test("show what the operator does", arguments: diagrams)
    func replay(_ marbles: DocumentedMarbles) {
        for call in marbles.calls where !Self.notReplayed.contains("\(marbles.kind).\(call.text)") {
            let replays = MarbleReplay.all.filter { $0.call == call.text && $0.kinds.contains(marbles.kind) }
            guard let replay = replays.first else {
                Issue.record("\(marbles.place): no replay for \(marbles.kind) `\(call.text)`")
                continue
            }
            #expect(replays.count == 1)
            let stage = MarbleStage(marbles, call)
            SharingScheduler.mock(scheduler: UndelayedScheduler(scheduler: stage.scheduler)) {
                replay.run(stage)
                #expect(stage.differences() == [], "\(marbles.place): \(call.text)")
            }
        }
    }

    @Test("have no replay without a diagram")
    func unused() {
        let calls = Self.diagrams.flatMap { marbles in marbles.calls.map { "\(marbles.kind).\($0.text)" } }
        let unused = MarbleReplay.all.filter { replay in
            !replay.kinds.contains { calls.contains("\($0).\(replay.call)") }
        }
        #expect(unused.map(\.call) == [])
    }
}
