internal import RxStreams

/// Adds a fault for each stream that reads itself, directly or through other streams.
func refuseStreamCycles(_ streams: [ReadStream], _ faults: FaultList) {
    let reads = Dictionary(
        streams.map { ($0.name, $0.definition.reads.union($0.stream.condition?.streams ?? []).sorted()) }
    ) { first, _ in first }
    for stream in streams {
        guard let way = shortestWay(from: stream.name, to: stream.name, along: { reads[$0] ?? [] }) else { continue }
        let others = way.dropLast().map { "\"\($0)\"" }.joined(separator: ", ")
        faults.add(
            others.isEmpty ? "reads itself" : "reads itself through \(others)", at: stream.place, key: stream.path)
    }
}

/// The nodes after `start`, up to `end`, of the shortest way with at least one edge; nil if there is none.
func shortestWay<Node: Hashable>(from start: Node, to end: Node, along edges: (Node) -> [Node]) -> [Node]? {
    var ways = [[start]]
    var seen: Set<Node> = []
    while !ways.isEmpty {
        var next: [[Node]] = []
        for way in ways {
            for node in edges(way[way.count - 1]) {
                if node == end { return way.dropFirst() + [node] }
                if seen.insert(node).inserted { next.append(way + [node]) }
            }
        }
        ways = next
    }
    return nil
}
