/// The sources of a junction, in the order they came: an array of the few that there are mostly, a table of many.
struct LegList {
    /// So few are looked through faster than a table is.
    private static let few = 16

    private var array: [DisposeBase] = []
    private var table: [ObjectIdentifier: (number: UInt64, leg: DisposeBase)] = [:]
    /// How many came to the table.
    private var numbered: UInt64 = 0

    var count: Int { array.count + table.count }

    mutating func insert(_ leg: DisposeBase) {
        // Once there is a table, those that come go there: they are later than those in the array.
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
