import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("Pending dispatches", .countedApart)
struct PendingDispatchesTests {
    private func input(of uid: UInt32, bytes: Int = 1) -> ReactorInput {
        ReactorInput(RawJSON(unchecked: Array(repeating: 0x31, count: bytes)), by: .peer(uid: uid, gid: 0, pid: 1))
    }

    /// Admits as many as possible.
    ///
    /// - Returns: how many, and why not more.
    private func fill(_ dispatches: inout PendingDispatches, _ input: ReactorInput) -> (Int, DispatchRefusal) {
        var count = 0
        while true {
            if let refusal = dispatches.admit(input, isHostStopping: false) { return (count, refusal) }
            count += 1
        }
    }

    @Test("are admitted up to the limit, and again as soon as one is answered; one user leaves room for the others")
    func limit() {
        var dispatches = PendingDispatches()
        let (greedy, modest) = (input(of: 1), input(of: 2))
        let (first, refusal) = fill(&dispatches, greedy)
        #expect(first == 9000)
        guard case .full(limit: 10_000) = refusal else {
            Issue.record("refused otherwise: \(refusal)")
            return
        }
        #expect(fill(&dispatches, modest).0 == 900)
        #expect(fill(&dispatches, input(of: 3)).0 == 90)
        #expect(fill(&dispatches, greedy).0 == 0)
        for _ in 0..<900 { dispatches.answered(modest) }
        #expect(fill(&dispatches, greedy).0 == 0, "its share is what it has")
        for _ in 0..<100 { dispatches.answered(greedy) }
        #expect(fill(&dispatches, greedy).0 > 0)
    }

    @Test("are admitted up to a number of bytes")
    func bytes() {
        var dispatches = PendingDispatches()
        let mebibyte = 1 << 20
        let (greedy, modest) = (input(of: 1, bytes: mebibyte), input(of: 2, bytes: mebibyte))
        let (first, refusal) = fill(&dispatches, greedy)
        #expect(first == 57)
        guard case .tooManyBytes(limit: 67_108_864) = refusal else {
            Issue.record("refused otherwise: \(refusal)")
            return
        }
        #expect(fill(&dispatches, modest).0 == 6)
        if let refusal = dispatches.admit(input(of: 3), isHostStopping: false) {
            Issue.record("a short one has no room: \(refusal)")
        }
        for _ in 0..<57 { dispatches.answered(greedy) }
        #expect(fill(&dispatches, greedy).0 > 40)
    }

    @Test("of any size are admitted alone, and nothing beside them")
    func oversized() {
        var dispatches = PendingDispatches()
        let (first, _) = fill(&dispatches, input(of: 1, bytes: 70 << 20))
        #expect(first == 1)
        #expect(fill(&dispatches, input(of: 2)).0 == 0)
    }

    @Test("are refused when the host or the reactor stops", arguments: [true, false])
    func stopping(ofHost: Bool) {
        var dispatches = PendingDispatches()
        if !ofHost { dispatches.stop() }
        guard case .stopping? = dispatches.admit(input(of: 1), isHostStopping: ofHost) else {
            Issue.record("a dispatch was admitted")
            return
        }
    }

    @Test("wait until their revision is stored, and not for later ones")
    func stored() {
        var dispatches = PendingDispatches()
        dispatches.begin(at: 3)
        let answered = Heard<UInt64>()
        #expect(!dispatches.wait(for: 3) { answered.add(3) }, "the revision of the start is stored")
        for revision: UInt64 in 4...6 { #expect(dispatches.wait(for: revision) { answered.add(revision) }) }
        for answer in dispatches.stored(5, nil) { answer() }
        #expect(answered.values == [4, 5])
        for answer in dispatches.stored(6, nil) { answer() }
        #expect(answered.values == [4, 5, 6])
    }

    @Test("fail for a lost revision if it came after them")
    func lost() {
        var dispatches = PendingDispatches()
        _ = dispatches.stored(7, .closed)
        #expect(dispatches.loss(since: 6) == .closed)
        #expect(dispatches.loss(since: 7) == nil)
    }
}
