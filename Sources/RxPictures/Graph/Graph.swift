/// What is connected to what: sources, steps, streams, actions, and reactors, and the edges between them.
///
/// Build one from rows with ``init(_:)``, or from nodes and edges. Nodes with an identity that occurred before, edges
/// to a missing node, and what exceeds the limits are left out; `omitted` counts them.
public struct Graph: Sendable, Equatable {
    /// A picture of more nodes is illegible, and its layout takes seconds.
    public static let mostNodes = 400
    /// Edges are counted with their labels; see ``mostNodes``.
    public static let mostEdges = 1200

    /// What the picture shows, such as the name of a stream.
    public let title: String
    /// In the order of their first mention; a step comes after the step that contains it.
    public let nodes: [GraphNode]
    /// In the order in which they were given.
    public let edges: [GraphEdge]
    /// How many nodes and edges were left out.
    public let omitted: Int

    /// A graph of nodes and edges as they are; see ``init(_:)`` for one of rows.
    public init(title: String, nodes: [GraphNode], edges: [GraphEdge]) {
        self.title = title
        var known: [String: GraphNode] = [:]
        var kept: [GraphNode] = []
        for node in nodes where known[node.id] == nil && kept.count < Self.mostNodes {
            var node = node
            if let parent = node.parent, known[parent] == nil { node.parent = nil }
            known[node.id] = node
            kept.append(node)
        }
        let edgesKept = edges.filter { known[$0.from] != nil && known[$0.to] != nil }.prefix(Self.mostEdges)
        self.nodes = kept
        self.edges = Array(edgesKept)
        omitted = nodes.count - kept.count + edges.count - edgesKept.count
    }

    /// The part of the graph from which `name` can be reached, or that can be reached from it; nil if no stream,
    /// action, or reactor has that name.
    ///
    /// Edges of feedback and conditions are followed for one step only: a graph of everything would remain otherwise.
    public func focused(on name: String) -> Graph? {
        let starts = nodes.filter { $0.name == name }.map(\.id)
        guard !starts.isEmpty else { return nil }
        let flows = edges.filter { $0.kind == .data || $0.kind == .read }
        var before: [String: [String]] = [:]
        var after: [String: [String]] = [:]
        for edge in flows {
            before[edge.to, default: []].append(edge.from)
            after[edge.from, default: []].append(edge.to)
        }
        var inner: [String: [String]] = [:]
        for node in nodes { if let parent = node.parent { inner[parent, default: []].append(node.id) } }
        var kept = Set(starts)
        for neighbors in [before, after] {
            var seen = Set(starts)
            var queue = starts
            while let id = queue.popLast() {
                for next in (neighbors[id] ?? []) + (inner[id] ?? []) where seen.insert(next).inserted {
                    queue.append(next)
                }
            }
            kept.formUnion(seen)
        }
        for edge in edges where edge.kind == .feedback || edge.kind == .condition {
            if starts.contains(edge.from) || starts.contains(edge.to) { kept.formUnion([edge.from, edge.to]) }
        }
        let parents = Dictionary(uniqueKeysWithValues: nodes.map { ($0.id, $0.parent) })
        for id in kept {
            var parent = parents[id] ?? nil
            while let outer = parent {
                kept.insert(outer)
                parent = parents[outer] ?? nil
            }
        }
        return Graph(
            title: name, nodes: nodes.filter { kept.contains($0.id) },
            edges: edges.filter { kept.contains($0.from) && kept.contains($0.to) })
    }
}
