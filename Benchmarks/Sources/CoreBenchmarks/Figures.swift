/// Median ns/event of one case's contenders, ours first.
struct Figures {
    let name: String
    let contenders: [(name: String, nanoseconds: Double)]

    func print() {
        for (index, contender) in contenders.enumerated() {
            let ratio = index == 0 ? "" : "\(decimal(contenders[0].nanoseconds / contender.nanoseconds))x"
            printRow(index == 0 ? name : "", contender.name, decimal(contender.nanoseconds), ratio)
        }
    }
}

func printHeading() {
    printRow("case", "contender", "ns/event", "Rx is")
}

private func printRow(_ columns: String...) {
    var line = ""
    for (column, width) in zip(columns, [20, 14, 10, 8]) {
        line += column + String(repeating: " ", count: max(1, width - column.count))
    }
    Swift.print(line)
}

private func decimal(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}
