import RxAction
import RxJSON
import Testing

@testable import RxHost
@testable import RxRecords

@Suite("ExecutionRecord")
struct ExecutionRecordTests {
    @Test("a copy keeps what it has when the original changes")
    func copies() {
        var record = ExecutionRecord(
            id: ExecutionID(), action: "a", causes: Causes(.host), input: .true, state: .queued, queuedAt: 1,
            elements: 0)
        let copy = record
        record.startedAt = 2
        record.elements += 1
        record.input = nil
        record.end(.stopped, at: 3)
        #expect(copy.state == .queued && copy.startedAt == nil && copy.endedAt == nil && copy.error == nil)
        #expect(copy.input == .true && copy.elements == 0)
        #expect(record.state == .cancelled && record.startedAt == 2 && record.endedAt == 3 && record.error != nil)
        #expect(record.input == nil && record.elements == 1 && record.id == copy.id && record.causes == copy.causes)
    }

    @Test("chains of causes are equal if their links are")
    func causes() {
        let one = Causes(.stream("t"), after: EarlierCauses(Causes(.host)))
        #expect(one == Causes(.stream("t"), after: EarlierCauses(Causes(.host))))
        #expect(one != Causes(.stream("t")) && one != Causes(.host, after: EarlierCauses(Causes(.host))))
        #expect(Causes(.host) == Causes(.host) && one.links == [.stream("t"), .host])
    }
}
