internal import RxJq

/// Adds a fault for each reactor that, through others or not, merges its own state: every change of it would make another.
func refuseMergeCycles(_ reactors: [ConfiguredReactor], _ nodes: [String: TOMLNode], _ faults: FaultList) {
    let merged = Dictionary(
        uniqueKeysWithValues: reactors.map { reactor in
            (
                reactor.name,
                reactor.plan.sources.compactMap { source in
                    switch source {
                    case .reactor(let name): name
                    case .action: nil
                    }
                }
            )
        })
    for name in merged.keys.sorted() {
        // The way to each reactor that this one hears of.
        var ways = (merged[name] ?? []).map { [$0] }
        var seen: Set<String> = []
        while let way = ways.popLast(), let last = way.last {
            if last == name, let node = nodes[name] {
                let text =
                    way.count == 1
                    ? "its own state" : "its own state by way of \(way.dropLast().joined(separator: ", "))"
                faults.add("merges \(text)", at: node.place, key: ["reactor", name, "merge"])
                break
            }
            guard seen.insert(last).inserted else { continue }
            ways += (merged[last] ?? []).map { way + [$0] }
        }
    }
}
