import Testing

@testable import Rx

@Suite struct DisposableListTests {
    /// In place only, with an array, and with a table.
    @Test(arguments: [1, 4, 5, 16, 17, 100])
    func keepsTheOrderOfInsertion(count: Int) {
        let items = (0..<count).map { _ in BooleanDisposable() }
        var list = DisposableList()
        for item in items { list.insert(item) }
        #expect(list.count == count)
        #expect(contents(of: list) == items.map(ObjectIdentifier.init))
    }

    @Test(arguments: [1, 4, 5, 16, 17, 100])
    func removesOneAndKeepsTheOrderOfTheOthers(count: Int) {
        let items = (0..<count).map { _ in BooleanDisposable() }
        for gone in 0..<count {
            var list = DisposableList()
            for item in items { list.insert(item) }
            #expect(list.remove(items[gone]) === items[gone])
            #expect(list.remove(items[gone]) == nil)
            #expect(list.count == count - 1)
            var others = items
            others.remove(at: gone)
            #expect(contents(of: list) == others.map(ObjectIdentifier.init))
        }
    }

    @Test(arguments: [1, 4, 5, 16, 17, 100])
    func removesAnObjectThatWasAddedTwice(count: Int) {
        let item = BooleanDisposable()
        var list = DisposableList()
        list.insert(item)
        for _ in 1..<count { list.insert(BooleanDisposable()) }
        list.insert(item)
        #expect(list.remove(item) === item)
        #expect(list.remove(item) == nil)
        #expect(list.count == count - 1)
    }

    @Test func staysInOrderWhenPlacesBecomeFree() {
        let items = (0..<7).map { _ in BooleanDisposable() }
        var list = DisposableList()
        for item in items.prefix(6) { list.insert(item) }
        _ = list.remove(items[0])
        list.insert(items[6])
        #expect(contents(of: list) == items.dropFirst().map(ObjectIdentifier.init))
    }

    private func contents(of list: borrowing DisposableList) -> [ObjectIdentifier] {
        var all: [ObjectIdentifier] = []
        list.forEach { all.append(ObjectIdentifier($0)) }
        return all
    }
}
