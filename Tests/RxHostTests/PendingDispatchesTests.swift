import Testing
import TestSupport

@testable import RxHost
@testable import RxStore

@Suite("Pending dispatches", .countedApart)
struct PendingDispatchesTests {
    private func isAdmitted(by dispatches: inout PendingDispatches) -> Bool {
        if case nil = dispatches.admit(isHostStopping: false) { true } else { false }
    }

    @Test("are admitted up to the limit, and again as soon as one is answered")
    func limit() {
        var dispatches = PendingDispatches()
        let admitted = (0..<PendingDispatches.mostUnanswered).count { _ in isAdmitted(by: &dispatches) }
        #expect(admitted == PendingDispatches.mostUnanswered)
        guard case .full(let limit)? = dispatches.admit(isHostStopping: false) else {
            Issue.record("one more than the limit was admitted")
            return
        }
        #expect(limit == PendingDispatches.mostUnanswered)
        dispatches.answered()
        #expect(isAdmitted(by: &dispatches))
    }

    @Test("are refused when the host or the reactor stops", arguments: [true, false])
    func stopping(ofHost: Bool) {
        var dispatches = PendingDispatches()
        if !ofHost { dispatches.stop() }
        guard case .stopping? = dispatches.admit(isHostStopping: ofHost) else {
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
