internal import RxJq

/// Adds a fault for each reactor that merges its own state, directly or not: each change would cause another.
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
        // The path to each reactor whose state reaches this one.
        var ways = (merged[name] ?? []).map { [$0] }
        var seen: Set<String> = []
        while let way = ways.popLast(), let last = way.last {
            if last == name, let node = nodes[name] {
                let text =
                    way.count == 1
                    ? "its own state" : "its own state through \(way.dropLast().joined(separator: ", "))"
                faults.add("merges \(text)", at: node.place, key: ["reactor", name, "merge"])
                break
            }
            guard seen.insert(last).inserted else { continue }
            ways += (merged[last] ?? []).map { way + [$0] }
        }
    }
}
