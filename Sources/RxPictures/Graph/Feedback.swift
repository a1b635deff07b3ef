/// Finds the edges that close a cycle.
enum Feedback {
    /// The edges, those of data that close a cycle as feedback.
    static func mark(_ edges: [GraphEdge], order: [String]) -> [GraphEdge] {
        let closing = closing(edges, order: order)
        return edges.enumerated().map { index, edge in
            var edge = edge
            if closing.contains(index) && edge.kind == .data { edge.kind = .feedback }
            return edge
        }
    }

    /// The places of the edges without which there is no cycle. Edges of feedback are among them. Of the others, edges
    /// of data come first: conditions and reads give way to them, and do not move what they lead to.
    static func closing(_ edges: [GraphEdge], order: [String]) -> Set<Int> {
        let feedback = edges.indices.filter { edges[$0].kind == .feedback || edges[$0].from == edges[$0].to }
        var closing = Set(feedback)
        let data = edges.indices.filter { edges[$0].kind == .data && !closing.contains($0) }
        closing.formUnion(closingData(edges, data, order: order))
        var after: [String: [String]] = [:]
        for index in data where !closing.contains(index) {
            after[edges[index].from, default: []].append(edges[index].to)
        }
        let depth = depths(after, order: order)
        for (index, edge) in edges.enumerated() where edge.kind != .data && !closing.contains(index) {
            let (from, to) = (depth[edge.from] ?? 0, depth[edge.to] ?? 0)
            if (to > 0 && from >= to) || isReachable(edge.from, from: edge.to, after) {
                closing.insert(index)
            } else {
                after[edge.from, default: []].append(edge.to)
            }
        }
        return closing
    }

    /// How many edges lead to each node at most; there is no cycle.
    private static func depths(_ after: [String: [String]], order: [String]) -> [String: Int] {
        var waits: [String: Int] = [:]
        for next in after.values { for node in next { waits[node, default: 0] += 1 } }
        var depth: [String: Int] = [:]
        var queue = order.filter { waits[$0] == nil }
        while let node = queue.popLast() {
            for next in after[node] ?? [] {
                depth[next] = max(depth[next] ?? 0, (depth[node] ?? 0) + 1)
                waits[next, default: 1] -= 1
                if waits[next] == 0 { queue.append(next) }
            }
        }
        return depth
    }

    private static func isReachable(_ goal: String, from start: String, _ after: [String: [String]]) -> Bool {
        var seen: Set<String> = [start]
        var queue = [start]
        while let node = queue.popLast() {
            if node == goal { return true }
            for next in after[node] ?? [] where seen.insert(next).inserted { queue.append(next) }
        }
        return false
    }

    /// The edges that lead back to a node of the path by which a walk in `order` came, beginning with the nodes that
    /// nothing leads to.
    private static func closingData(_ edges: [GraphEdge], _ data: [Int], order: [String]) -> Set<Int> {
        var closing: Set<Int> = []
        var after: [String: [Int]] = [:]
        var hasInput: Set<String> = []
        for index in data {
            after[edges[index].from, default: []].append(index)
            hasInput.insert(edges[index].to)
        }
        var isOpen: [String: Bool] = [:]
        for start in order.filter({ !hasInput.contains($0) }) + order where isOpen[start] == nil {
            var path: [(node: String, next: Int)] = [(start, 0)]
            isOpen[start] = true
            while let (node, next) = path.last {
                let outgoing = after[node] ?? []
                guard next < outgoing.count else {
                    isOpen[node] = false
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let to = edges[outgoing[next]].to
                switch isOpen[to] {
                case true?: closing.insert(outgoing[next])
                case false?: break
                case nil:
                    isOpen[to] = true
                    path.append((to, 0))
                }
            }
        }
        return closing
    }
}
