import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("Lost writes", .countedApart)
struct WriteLossesTests {
    @Test("are reported when they begin and when they are over, each time, and counted all along")
    func bouts() {
        var losses = WriteLosses()
        #expect(losses.written() == nil)
        for bout in 1...2 {
            #expect(losses.lost(2, .closed) == .closed)
            #expect(losses.lost(3, .closed) == nil)
            #expect(losses.written() == .lost(count: 5))
            #expect(losses.written() == nil)
            #expect(losses.total == 5 * bout)
        }
        #expect(losses.lost(0, .closed) == .closed)
        #expect(losses.written() == nil, "a fault without loss")
    }
}
