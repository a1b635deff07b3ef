extension Graph {
    /// The graph for a terminal: one block per stream, its source and steps as a chain, then what it leads to; after
    /// that, what actions and reactors depend on and lead to.
    ///
    /// - Parameter width: the columns of the terminal; lines are cut at it. At least 40.
    public func text(width: Int = 80) -> String {
        var writer = GraphText(self, width: max(width, GraphText.leastWidth))
        return writer.write()
    }
}

/// Writes the blocks of a graph.
private struct GraphText {
    /// Below that, labels are illegible.
    static let leastWidth = 40

    private struct Entry {
        var text: String
        var note = ""
        var isOutput = false
        var inner: [Entry] = []
    }

    private let graph: Graph
    private let width: Int
    private let byID: [String: GraphNode]
    private var incoming: [String: [GraphEdge]] = [:]
    private var outgoing: [String: [GraphEdge]] = [:]
    private var lines: [String] = []

    init(_ graph: Graph, width: Int) {
        self.graph = graph
        self.width = width
        var byID: [String: GraphNode] = [:]
        for node in graph.nodes { byID[node.id] = node }
        self.byID = byID
        for edge in graph.edges {
            incoming[edge.to, default: []].append(edge)
            outgoing[edge.from, default: []].append(edge)
        }
    }

    mutating func write() -> String {
        var streams: [String] = []
        for node in graph.nodes {
            guard let name = node.kind == .stream ? node.label : node.stream else { continue }
            if !streams.contains(name) { streams.append(name) }
        }
        for name in streams {
            let members = graph.nodes.filter { $0.stream == name || ($0.kind == .stream && $0.label == name) }
            let node = members.first { $0.kind == .stream }
            block("stream \(name.oneLine)", detail: node?.detail ?? "", note: node.map(note) ?? "", chain(members))
        }
        for node in graph.nodes where node.kind == .action || node.kind == .reactor {
            let entries = conditions(node.id) + outputs(node.id)
            block("\(node.kind.rawValue) \(node.label.oneLine)", detail: node.detail, note: note(node), entries)
        }
        if graph.omitted > 0 { lines.append("(\(graph.omitted) nodes and edges left out)") }
        return lines.joined(separator: "\n") + (lines.isEmpty ? "" : "\n")
    }

    /// The source, the steps in their order, and what the stream leads to.
    private func chain(_ members: [GraphNode]) -> [Entry] {
        let ids = Set(members.map(\.id))
        let hasNode = members.contains { $0.kind == .stream }
        let arguments = arguments(members, ids)
        let chained = members.filter { $0.parent == nil && $0.kind != .stream && arguments[$0.id] == nil }
        var entries: [Entry] = []
        var leaving: [Entry] = []
        for (index, node) in chained.enumerated() {
            var next = entry(node, members, ids, arguments)
            if index == 0 && node.kind != .source {
                // What the first step receives from elsewhere is the source of the stream.
                entries += next.sources
                next.sources = []
            }
            if !hasNode && index == chained.count - 1 {
                leaving += next.outputs
                next.outputs = []
            }
            entries.append(next.entry)
        }
        for node in members where node.kind == .stream {
            if chained.isEmpty { entries += (incoming[node.id] ?? []).filter { $0.kind == .data }.map { arrival($0) } }
            entries += conditions(node.id)
            leaving += outputs(node.id)
        }
        return entries + leaving
    }

    /// The sources that are arguments of another source or of a step, each with that node.
    private func arguments(_ members: [GraphNode], _ ids: Set<String>) -> [String: String] {
        let first = members.first { $0.parent == nil }?.id
        var arguments: [String: String] = [:]
        for node in members where node.kind == .source && node.id != first {
            arguments[node.id] = (outgoing[node.id] ?? []).first { ids.contains($0.to) }?.to
        }
        return arguments
    }

    /// A node with what enters and leaves it from and to other streams.
    private struct Passage {
        var node: Entry
        var sources: [Entry]
        var reads: [Entry]
        var outputs: [Entry]

        var entry: Entry {
            var entry = node
            entry.inner = sources + reads + node.inner + outputs
            return entry
        }
    }

    private func entry(
        _ node: GraphNode, _ members: [GraphNode], _ ids: Set<String>, _ arguments: [String: String]
    ) -> Passage {
        var entry = Entry(text: "\(node.label) \(node.detail)", note: note(node))
        let inner = members.filter { $0.parent == node.id || arguments[$0.id] == node.id }
        entry.inner = inner.map { self.entry($0, members, ids, arguments).entry }
        let arrivals = (incoming[node.id] ?? []).filter { !ids.contains($0.from) }
        return Passage(
            node: entry, sources: arrivals.filter { $0.kind == .data }.map { arrival($0) },
            reads: arrivals.filter { $0.kind != .data }.map { arrival($0) },
            outputs: (outgoing[node.id] ?? []).filter { !ids.contains($0.to) }.map { departure($0) })
    }

    private func conditions(_ id: String) -> [Entry] {
        (incoming[id] ?? []).filter { $0.kind == .condition }.map { edge in
            Entry(text: "enabled by \(name(edge.from)) \(edge.label)", note: rate(edge))
        }
    }

    private func outputs(_ id: String) -> [Entry] { (outgoing[id] ?? []).map { departure($0) } }

    private func arrival(_ edge: GraphEdge) -> Entry {
        let words =
            switch edge.kind {
            case .data: ""
            case .feedback: "feedback from "
            case .condition: "enabled by "
            case .read: "reads "
            }
        return Entry(text: "◀ \(words)\(name(edge.from)) \(edge.label)", note: rate(edge))
    }

    private func departure(_ edge: GraphEdge) -> Entry {
        let words =
            switch edge.kind {
            case .data: edge.label == "executes" ? "executes " : ""
            case .feedback: "feedback to "
            case .condition: "enables "
            case .read: "read by "
            }
        let part = edge.label.isEmpty || edge.label == "executes" ? "" : " (\(edge.label))"
        return Entry(text: "\(words)\(name(edge.to))\(part)", note: rate(edge), isOutput: true)
    }

    private func name(_ id: String) -> String {
        guard let node = byID[id] else { return id }
        switch node.kind {
        case .stream, .action, .reactor: return "\(node.kind.rawValue) \(node.label)"
        case .source, .step: return node.stream.map { "stream \($0)" } ?? node.label
        }
    }

    private func rate(_ edge: GraphEdge) -> String { edge.perMinute.map { Figures.perMinute($0) } ?? "" }

    private func note(_ node: GraphNode) -> String {
        [node.figures.state, node.figures.counts].filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private mutating func block(_ title: String, detail: String, note: String, _ entries: [Entry]) {
        if !lines.isEmpty { lines.append("") }
        line("", title + (detail.isEmpty ? "" : ": \(detail)"), note)
        write(entries, "")
    }

    private mutating func write(_ entries: [Entry], _ indentation: String) {
        for (index, entry) in entries.enumerated() {
            let isLast = index == entries.count - 1
            line(indentation + (isLast ? "└─" : "├─") + (entry.isOutput ? "▶ " : " "), entry.text, entry.note)
            write(entry.inner, indentation + (isLast ? "   " : "│  "))
        }
    }

    /// A line whose note is at the right border. A text that leaves the note no room wraps; so does a long note.
    private mutating func line(_ prefix: String, _ text: String, _ note: String) {
        let text = text.oneLine
        let start = prefix.columns
        let room = max(width - start, 10)
        if note.isEmpty || text.columns + 2 + note.columns <= room {
            let cut = text.cut(columns: room)
            let filled = note.isEmpty ? cut : cut.padded(columns: room - note.columns) + note
            lines.append((prefix + filled).trimmedEnd)
            return
        }
        lines.append((prefix + text.cut(columns: room)).trimmedEnd)
        // The stems of the tree continue beside the note.
        let stems = String(
            prefix.map { character -> Character in
                switch character {
                case "├", "│": "│"
                default: " "
                }
            })
        lines.append((stems + note.cut(columns: room)).trimmedEnd)
    }
}
