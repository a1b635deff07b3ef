/// The nodes of a level in units: steps that follow each other are stacked, any other node is a unit alone.
struct Stacks {
    /// The nodes of each unit, from top to bottom.
    let units: [[Int]]
    /// The unit of each node.
    let unit: [Int]

    /// Each of `count` nodes alone.
    init(alone count: Int) { self.init([], count: count) }

    init(_ chains: [[Int]], count: Int) {
        var chainOf: [Int: [Int]] = [:]
        for chain in chains { for node in chain { chainOf[node] = chain } }
        var units: [[Int]] = []
        var unit = Array(repeating: -1, count: count)
        for node in 0..<count where unit[node] < 0 {
            let members = chainOf[node] ?? [node]
            for member in members { unit[member] = units.count }
            units.append(members)
        }
        self.units = units
        self.unit = unit
    }

    /// Whether an edge between two nodes lies within a stack.
    func isWithin(_ from: Int, _ to: Int) -> Bool { from != to && unit[from] == unit[to] }
}
