import RxPlatform
import Synchronization
import Testing

@testable import RxSources

@Suite("A heap of alarms")
struct AlarmHeapTests {
    private static let queue = Queues.system.shared

    @Test(
        "returns the alarms in the order of instants, equal ones in that of being set, and no canceled one",
        arguments: [1, 2, 3, 4, 5] as [UInt64])
    func order(seed: UInt64) {
        var dice = SplitMix(seed: seed)
        var heap = AlarmHeap()
        var model: [(due: Int64, number: Int, alarm: Alarm)] = []
        let called = Mutex<[Int]>([])
        for number in 0..<4000 {
            switch Int.random(in: 0..<10, using: &dice) {
            case 0..<6:
                let due = Int64.random(in: 0..<500, using: &dice)
                let alarm = heap.insert(
                    due: due, .init(body: { called.withLock { $0.append(number) } }, queue: Self.queue))
                model.append((due, number, alarm))
            case 6..<8 where !model.isEmpty:
                let victim = model.remove(at: Int.random(in: 0..<model.count, using: &dice))
                #expect(heap.remove(victim.alarm) != nil)
                #expect(heap.remove(victim.alarm) == nil)
            default:
                let now = Int64.random(in: 0..<500, using: &dice)
                let due = model.filter { $0.due <= now }.min { ($0.due, $0.number) < ($1.due, $1.number) }
                called.withLock { $0 = [] }
                heap.removeDue(at: now)?.body()
                #expect(called.withLock { $0 } == (due.map { [$0.number] } ?? []))
                model.removeAll { $0.number == due?.number }
            }
            #expect(heap.count == model.count)
            #expect(heap.firstDue == model.map(\.due).min())
        }
    }

    @Test("has no use for the handle of an alarm whose place another one has taken")
    func reuse() {
        var heap = AlarmHeap()
        let first = heap.insert(due: 1, .init(body: {}, queue: Self.queue))
        _ = heap.remove(first)
        let second = heap.insert(due: 2, .init(body: {}, queue: Self.queue))
        #expect(first.slot == second.slot)
        #expect(heap.remove(first) == nil)
        #expect(heap.count == 1)
    }

    @Test("takes places of canceled alarms again, however many there were")
    func noGarbage() {
        var heap = AlarmHeap()
        for round in 0..<10_000 {
            let alarm = heap.insert(due: Int64(round), .init(body: {}, queue: Self.queue))
            #expect(alarm.slot == 0)
            _ = heap.remove(alarm)
        }
    }
}
