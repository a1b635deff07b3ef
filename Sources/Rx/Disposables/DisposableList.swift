/// Disposables in order of insertion: the first ones in place, some more in an array, many in a table.
struct DisposableList: ~Copyable {
    /// Most lists have no more, and need no allocation.
    private static let inPlace = 4
    /// Up to this many outside the first places, a linear search is faster than a table.
    private static let few = 12

    private var first = InlineArray<4, DisposeBase?>(repeating: nil)
    private var firstCount = 0
    private var others: Others?

    private struct Others {
        var array: [DisposeBase] = []
        var table: [ObjectIdentifier: (number: UInt64, disposable: DisposeBase)] = [:]
        /// How many disposables were added to the table.
        var numbered: UInt64 = 0

        var count: Int { array.count + table.count }

        mutating func insert(_ disposable: DisposeBase) {
            // Once the table is in use, new disposables go there, because they come after those in the array.
            if table.isEmpty, array.count < DisposableList.few { return array.append(disposable) }
            numbered += 1
            table[ObjectIdentifier(disposable)] = (numbered, disposable)
        }

        mutating func remove(_ disposable: DisposeBase) -> DisposeBase? {
            var gone: DisposeBase?
            var index = array.count
            while index > 0 {
                index -= 1
                if array[index] === disposable { gone = array.remove(at: index) }
            }
            if table.isEmpty { return gone }
            return table.removeValue(forKey: ObjectIdentifier(disposable))?.disposable ?? gone
        }

        func forEach(_ body: (DisposeBase) -> Void) {
            for disposable in array { body(disposable) }
            if table.isEmpty { return }
            for (_, disposable) in table.values.sorted(by: { $0.number < $1.number }) { body(disposable) }
        }
    }

    var count: Int { firstCount + (others?.count ?? 0) }

    /// Adds a disposable. One that was added before may be listed twice.
    mutating func insert(_ disposable: consuming DisposeBase) {
        if firstCount < DisposableList.inPlace, others == nil {
            first[firstCount] = disposable
            firstCount += 1
        } else {
            insertOther(disposable)
        }
    }

    @inline(never)
    private mutating func insertOther(_ disposable: DisposeBase) {
        if others == nil { others = Others() }
        others?.insert(disposable)
    }

    /// Removes a disposable, however often it was added, and returns it; nil if it is not in the list.
    mutating func remove(_ disposable: DisposeBase) -> DisposeBase? {
        var gone: DisposeBase?
        var index = firstCount
        while index > 0 {
            index -= 1
            if first[index] !== disposable { continue }
            gone = first[index].take()
            closeGap(at: index)
        }
        if others == nil { return gone }
        return removeOther(disposable) ?? gone
    }

    private mutating func closeGap(at index: Int) {
        for next in index + 1..<firstCount { first.swapAt(next - 1, next) }
        firstCount -= 1
    }

    @inline(never)
    private mutating func removeOther(_ disposable: DisposeBase) -> DisposeBase? {
        let gone = others?.remove(disposable)
        if others?.count == 0 { others = nil }
        return gone
    }

    func forEach(_ body: (DisposeBase) -> Void) {
        for index in 0..<firstCount { if let disposable = first[index] { body(disposable) } }
        others?.forEach(body)
    }
}
