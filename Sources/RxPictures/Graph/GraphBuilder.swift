extension Graph {
    /// The graph of these rows. What a row refers to and no row defines becomes a node without detail.
    ///
    /// An edge that closes a cycle through an action or a reactor becomes feedback.
    public init(_ input: GraphInput) {
        var builder = GraphBuilder(input)
        builder.build()
        let forward = Feedback.mark(builder.edges, order: builder.nodes.map(\.id))
        self.init(title: input.title, nodes: builder.nodes, edges: forward)
    }
}

/// Turns rows into nodes and edges, in the order of the rows.
private struct GraphBuilder {
    private let input: GraphInput
    private(set) var nodes: [GraphNode] = []
    private(set) var edges: [GraphEdge] = []
    /// Where the elements of each stream come from.
    private var outputs: [String: String] = [:]

    init(_ input: GraphInput) { self.input = input }

    mutating func build() {
        let referred = referredStreams()
        for stream in input.streams {
            // A source that only reads what is in the graph has no node: its stream needs one.
            let hasNone = stream.steps.isEmpty && !stream.source.references.isEmpty
            let needsNode = !stream.isInline || referred.contains(stream.name) || hasNone
            let parts = stream.steps.count
            outputs[stream.name] =
                needsNode
                ? "stream:\(stream.name)"
                : parts == 0 ? "\(stream.name)/0" : "\(stream.name)/\(stream.steps[parts - 1].number)"
        }
        for stream in input.streams { add(stream) }
        for target in input.targets {
            let id = "\(target.kind.rawValue):\(target.name)"
            nodes.append(
                GraphNode(
                    id: id, kind: target.kind == .action ? .action : .reactor, label: target.name,
                    figures: target.figures))
        }
        for target in input.targets {
            let id = "\(target.kind.rawValue):\(target.name)"
            for name in target.on {
                let reference = GraphInput.Reference(.stream, name)
                connect(node(of: reference), id, .data)
            }
            for output in target.outputs { connect(id, node(of: output), .data, output.label) }
            for condition in target.conditions { connect(node(of: condition), id, .condition, condition.label) }
        }
    }

    /// The streams that something other than an `on` refers to.
    private func referredStreams() -> Set<String> {
        var names: Set<String> = []
        func visit(_ references: [GraphInput.Reference]) {
            for reference in references where reference.kind == .stream { names.insert(reference.name) }
        }
        func visit(_ source: GraphInput.Source) {
            visit(source.references)
            for part in source.parts { visit(part) }
        }
        func visit(_ step: GraphInput.Step) {
            for source in step.sources { visit(source) }
            for inner in step.inner { visit(inner) }
        }
        for stream in input.streams {
            visit(stream.source)
            for step in stream.steps { visit(step) }
            visit(stream.conditions)
            // A condition of the stream itself needs a node to point to.
            if !stream.conditions.isEmpty { names.insert(stream.name) }
        }
        for target in input.targets { visit(target.conditions + target.outputs) }
        return names
    }

    private mutating func add(_ stream: GraphInput.Stream) {
        let end = outputs[stream.name] ?? ""
        let starts = add(stream.source, id: "\(stream.name)/0", stream: stream.name, parent: nil)
        let last = add(stream.steps, after: starts, stream: stream.name, parent: nil)
        guard end == "stream:\(stream.name)" else { return carry(stream.figures, to: end) }
        nodes.append(
            GraphNode(
                id: end, kind: .stream, label: stream.name, detail: stream.description, stream: stream.name,
                figures: stream.figures))
        for (from, label) in last { connect(from, end, .data, label) }
        for condition in stream.conditions { connect(node(of: condition), end, .condition, condition.label) }
    }

    /// The state of an inline stream is shown at its last node.
    private mutating func carry(_ figures: GraphFigures, to id: String) {
        guard let place = nodes.firstIndex(where: { $0.id == id }) else { return }
        nodes[place].figures.waiting = nodes[place].figures.waiting ?? figures.waiting
        nodes[place].figures.disabled = nodes[place].figures.disabled ?? figures.disabled
        nodes[place].figures.perMinute = nodes[place].figures.perMinute ?? figures.perMinute
        nodes[place].figures.refused = nodes[place].figures.refused ?? figures.refused
        nodes[place].figures.isEnded = nodes[place].figures.isEnded || figures.isEnded
    }

    /// Adds the nodes of a source.
    ///
    /// - Returns: the nodes its elements come from, with labels for the edges. A source that only reads what is in the
    ///   graph has no node of its own.
    private mutating func add(
        _ source: GraphInput.Source, id: String, stream: String, parent: String?
    ) -> [(String, String)] {
        if !source.references.isEmpty { return source.references.map { (node(of: $0), $0.label) } }
        nodes.append(
            GraphNode(
                id: id, kind: .source, label: source.key, detail: source.value, stream: stream, parent: parent,
                figures: source.figures))
        for (index, part) in source.parts.enumerated() {
            for (from, label) in add(part, id: "\(id).\(index + 1)", stream: stream, parent: parent) {
                connect(from, id, .data, label)
            }
        }
        return [(id, "")]
    }

    private mutating func add(
        _ steps: [GraphInput.Step], after starts: [(String, String)], stream: String, parent: String?
    ) -> [(String, String)] {
        var last = starts
        for step in steps {
            let id = "\(stream)/\(step.number)"
            nodes.append(
                GraphNode(
                    id: id, kind: .step, label: step.operation, detail: step.argument, stream: stream, parent: parent,
                    figures: step.figures))
            for (from, label) in last { connect(from, id, .data, label) }
            let kind: GraphEdge.Kind = step.operation == "withLatestFrom" ? .read : .data
            for (index, source) in step.sources.enumerated() {
                for (from, label) in add(source, id: "\(id)<\(index + 1)", stream: stream, parent: nil) {
                    connect(from, id, kind, label)
                }
            }
            if let action = step.executes {
                connect(id, node(of: GraphInput.Reference(.action, action)), .data, "executes")
            }
            _ = add(step.inner, after: [], stream: stream, parent: id)
            last = [(id, "")]
        }
        return last
    }

    /// The node that a reference means. One that no row defines is added.
    private mutating func node(of reference: GraphInput.Reference) -> String {
        if reference.kind == .stream, let output = outputs[reference.name] { return output }
        let id = "\(reference.kind.rawValue):\(reference.name)"
        let isDefined = input.targets.contains {
            $0.kind.rawValue == reference.kind.rawValue && $0.name == reference.name
        }
        if !isDefined && !nodes.contains(where: { $0.id == id }) {
            let kind: GraphNode.Kind =
                switch reference.kind {
                case .stream: .stream
                case .action: .action
                case .reactor: .reactor
                }
            nodes.append(GraphNode(id: id, kind: kind, label: reference.name))
        }
        return id
    }

    private mutating func connect(_ from: String, _ to: String, _ kind: GraphEdge.Kind, _ label: String = "") {
        let edge = GraphEdge(from: from, to: to, kind: kind, label: label)
        if !edges.contains(edge) { edges.append(edge) }
    }
}
