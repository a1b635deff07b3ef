import TestSupport
import Testing

@testable import RxLoop

@Suite("SourceTable", .ownThreads)
struct SourceTableTests {
    @Test("a slot is used again, and its old key finds no source")
    func generations() throws {
        let source = LoopSource(loop: try EventLoop())
        var table = SourceTable<LoopSource>()
        let first = table.insert(source)
        table.remove(first)
        table.remove(first)
        #expect(!table.finds(first))
        let second = table.insert(source)
        #expect(UInt32(truncatingIfNeeded: first) == UInt32(truncatingIfNeeded: second), "the same place")
        #expect(first != second)
        #expect(!table.finds(first))
        #expect(table.finds(second))
        let third = table.insert(source)
        #expect(UInt32(truncatingIfNeeded: third) != UInt32(truncatingIfNeeded: second), "freed once, used once")
        #expect(!table.finds(.max))
    }
}

extension SourceTable {
    fileprivate func finds(_ key: UInt64) -> Bool { source(for: key) != nil }
}
