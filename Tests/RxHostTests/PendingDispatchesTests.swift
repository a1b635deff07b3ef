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

    /// A dispatch that leads to the next revisions.
    private func reduce(_ dispatches: inout PendingDispatches, steps: Int = 1) -> ReactorDispatch {
        let dispatch = ReactorDispatch(input: input(of: 1)) { _ in }
        for _ in 0..<steps { dispatches.reduced(dispatch.input, JSONPatch(), JSONState(.null), isStored: false) }
        return dispatch
    }

    /// The revision of the answer; nil if the dispatch waits, and 0 if it was undone.
    private func end(of dispatch: ReactorDispatch, in dispatches: inout PendingDispatches, at newest: UInt64) -> UInt64?
    {
        switch dispatches.ended(dispatch, at: newest) {
        case .stored(let revision): revision
        case .waits: nil
        case .undone: 0
        }
    }

    @Test("wait until their own mutations are stored, and not for later ones")
    func stored() {
        var dispatches = PendingDispatches()
        _ = dispatches.begin(with: JSONState(.null), at: 3)
        #expect(
            end(of: ReactorDispatch(input: input(of: 1)) { _ in }, in: &dispatches, at: 3) == 3, "the start is stored")
        let three = (4...6).map { _ in reduce(&dispatches) }
        // In another order than that of their mutations.
        for dispatch in [three[2], three[0], three[1]] { #expect(end(of: dispatch, in: &dispatches, at: 6) == nil) }
        #expect(dispatches.stored(4, nil).answers.map(\.revision) == [4])
        #expect(dispatches.stored(6, nil).answers.isEmpty, "a later one may be reported first")
        #expect(dispatches.stored(5, nil).answers.map(\.revision) == [5, 6])
    }

    @Test("that have no mutations wait for the state that they saw")
    func unchanged() {
        var dispatches = PendingDispatches()
        _ = dispatches.begin(with: JSONState(.null), at: 0)
        _ = reduce(&dispatches)
        #expect(end(of: ReactorDispatch(input: input(of: 2)) { _ in }, in: &dispatches, at: 1) == nil)
        #expect(dispatches.stored(1, nil).answers.map(\.revision) == [1])
    }

    @Test("fail together when one could not be stored, once the reactor has gone back")
    func lost() throws {
        var dispatches = PendingDispatches()
        _ = dispatches.begin(with: JSONState(.null), at: 0)
        let three = (0..<3).map { _ in reduce(&dispatches, steps: 2) }
        for dispatch in three { #expect(end(of: dispatch, in: &dispatches, at: 6) == nil) }
        #expect(dispatches.stored(1, nil).answers.isEmpty)
        #expect(dispatches.stored(2, nil).answers.count == 1)
        #expect(dispatches.stored(3, nil).answers.isEmpty)
        let reports = [dispatches.stored(4, .closed).goesBack, dispatches.stored(5, .closed).goesBack]
        #expect(reports == [true, false])
        #expect(dispatches.loss == .closed && dispatches.steps.target.revision == 2)
        let unfinished = reduce(&dispatches)
        let waits = dispatches.failsWhenBack(unfinished)
        #expect(waits)
        let begun = dispatches.begin(with: JSONState(.null), at: 8)
        let lost = try #require(begun)
        #expect(lost.failed.count == 3 && lost.1 == .closed && dispatches.loss == nil)
        #expect(end(of: unfinished, in: &dispatches, at: 8) == 0, "its engine reports its end late")
        let waitsAgain = dispatches.failsWhenBack(unfinished)
        #expect(!waitsAgain)
        let (_, goesBack) = dispatches.stored(6, .closed)
        #expect(!goesBack, "a late report")
        let again = dispatches.begin(with: JSONState(.null), at: 9)
        #expect(again == nil)
    }

    @Test("that are answered, and merged mutations, need not be stored for the reactor to stay")
    func answered() {
        var dispatches = PendingDispatches()
        _ = dispatches.begin(with: JSONState(.null), at: 0)
        dispatches.reduced(nil, JSONPatch(), JSONState(.null), isStored: false)
        let dispatch = reduce(&dispatches)
        dispatches.answered(dispatch.input)
        let reports = [dispatches.stored(1, .closed).goesBack, dispatches.stored(2, .closed).goesBack]
        #expect(reports == [false, false])
        #expect(dispatches.loss == nil && dispatches.steps.storedThrough == 2)
    }
}
