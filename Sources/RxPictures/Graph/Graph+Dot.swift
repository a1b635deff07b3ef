extension Graph {
    /// The graph in the language of Graphviz, for `dot -Tsvg`.
    public func dot() -> String {
        var text = """
            digraph \(quote(title)) {
                rankdir=LR;
                node [shape=box, fontname="sans-serif"];
                edge [fontname="sans-serif"];

            """
        var inner: [String?: [GraphNode]] = [:]
        for node in nodes { inner[node.parent, default: []].append(node) }
        func write(_ parent: String?, _ indentation: String) {
            for node in inner[parent] ?? [] {
                let style = node.figures.isOff ? ", style=dashed" : ""
                text += "\(indentation)\(quote(node.id)) [label=\(label(node)), \(shape(node.kind))\(style)];\n"
                guard inner[node.id] != nil else { continue }
                text += "\(indentation)subgraph \(quote("cluster " + node.id)) {\n"
                text += "\(indentation)    label=\(quote(node.label));\n"
                write(node.id, indentation + "    ")
                text += "\(indentation)}\n"
            }
        }
        write(nil, "    ")
        for node in nodes {
            // Where the elements enter an inner stream.
            guard let first = inner[node.id]?.first else { continue }
            text += "    \(quote(node.id)) -> \(quote(first.id)) [arrowhead=open];\n"
        }
        for edge in edges {
            var attributes: [String] = []
            if !edge.caption.isEmpty { attributes.append("label=\(quote(edge.caption))") }
            switch edge.kind {
            case .data: break
            case .feedback: attributes += ["style=dashed", "constraint=false"]
            case .condition: attributes += ["style=dotted", "arrowhead=odot"]
            case .read: attributes += ["style=dashed", "arrowhead=empty"]
            }
            let suffix = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
            text += "    \(quote(edge.from)) -> \(quote(edge.to))\(suffix);\n"
        }
        return text + "}\n"
    }

    private func shape(_ kind: GraphNode.Kind) -> String {
        switch kind {
        case .source: "shape=cds"
        case .step: "shape=box"
        case .stream: "shape=box, peripheries=2"
        case .action: "shape=octagon"
        case .reactor: "shape=doubleoctagon"
        }
    }

    private func label(_ node: GraphNode) -> String {
        "\"" + node.labelLines.map(escape).joined(separator: "\\n") + "\""
    }

    private func quote(_ text: String) -> String { "\"\(escape(text.oneLine))\"" }

    private func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character == "\"" || character == "\\" { escaped += "\\" }
            escaped.append(character)
        }
        return escaped
    }
}

extension GraphNode {
    /// The widest line in dot and Mermaid, in columns.
    private static let mostColumns = 40

    /// The lines of the node in dot and Mermaid: kind, label, detail, and figures.
    var labelLines: [String] {
        var lines: [String] = []
        switch kind {
        case .source, .step: break
        case .stream, .action, .reactor: lines.append(kind.rawValue)
        }
        lines += [label, detail, figures.counts, figures.state]
        return lines.map { $0.oneLine.cut(columns: Self.mostColumns) }.filter { !$0.isEmpty }
    }
}
