import Testing

@testable import UnixSocket

@Suite("HandlerTable")
struct HandlerTableTests {
    @Test("a place is used again, and its old key finds nobody")
    func generations() throws {
        let wire = try Wire(on: EventLoop())
        var table = HandlerTable()
        let first = table.insert(.socket(wire.socket))
        table.remove(first)
        table.remove(first)
        #expect(!table.finds(first))
        let second = table.insert(.socket(wire.socket))
        #expect(UInt32(truncatingIfNeeded: first) == UInt32(truncatingIfNeeded: second), "the same place")
        #expect(first != second)
        #expect(!table.finds(first))
        #expect(table.finds(second))
        let third = table.insert(.socket(wire.socket))
        #expect(UInt32(truncatingIfNeeded: third) != UInt32(truncatingIfNeeded: second), "freed once, used once")
        #expect(!table.finds(.max))
    }
}

extension HandlerTable {
    fileprivate func finds(_ key: UInt64) -> Bool { handler(for: key) != nil }
}
