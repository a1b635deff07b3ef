/// The sources of a junction, in order of insertion: an array for a few, a table for many.
struct LegList {
    /// Up to this many, a linear search is faster than a table.
    private static let few = 16

    private var array: [DisposeBase] = []
    private var table: [ObjectIdentifier: (number: UInt64, leg: DisposeBase)] = [:]
    /// How many sources were added to the table.
    private var numbered: UInt64 = 0

    var count: Int { array.count + table.count }

    mutating func insert(_ leg: DisposeBase) {
        // Once the table is in use, new sources go there, because they come after those in the array.
        if table.isEmpty, array.count < LegList.few { return array.append(leg) }
        numbered += 1
        table[ObjectIdentifier(leg)] = (numbered, leg)
    }

    mutating func remove(_ leg: DisposeBase) -> DisposeBase? {
        var index = array.count
        while index > 0 {
            index -= 1
            if array[index] === leg { return array.remove(at: index) }
        }
        return table.isEmpty ? nil : table.removeValue(forKey: ObjectIdentifier(leg))?.leg
    }

    func forEach(_ body: (DisposeBase) -> Void) {
        for leg in array { body(leg) }
        if table.isEmpty { return }
        for (_, leg) in table.values.sorted(by: { $0.number < $1.number }) { body(leg) }
    }
}
