/// What was measured of one case: medians per contender, ours first.
struct Figures {
    struct Row {
        let name: String
        let nanoseconds: Double
        let allocations: Double
        /// The median of the rounds' ratios of our time to this one's.
        let ratio: Double
    }

    let name: String
    let goal: Double
    let contenders: [Row]

    func print() {
        for (index, row) in contenders.enumerated() {
            let isOurs = index == 0
            let goal = isOurs ? "" : row.name == "closures" ? decimal(goal) + "x" : "1.00x"
            printRow(
                isOurs ? name : "", row.name, decimal(row.nanoseconds), decimal(row.allocations),
                isOurs ? "" : decimal(row.ratio) + "x", goal)
        }
    }
}

func printHeading() {
    printRow("case", "contender", "ns/event", "allocations", "Rx is", "at most")
}

func printRow(_ columns: String...) {
    var line = ""
    for (column, width) in zip(columns, [24, 14, 10, 13, 8, 8]) {
        line += column + String(repeating: " ", count: max(1, width - column.count))
    }
    Swift.print(line)
}

func decimal(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}
