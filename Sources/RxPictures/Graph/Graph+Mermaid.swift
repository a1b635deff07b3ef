extension Graph {
    /// The graph as a Mermaid flowchart, as GitHub and others draw it.
    public func mermaid() -> String {
        var text = "flowchart LR\n"
        var inner: [String?: [Int]] = [:]
        var place: [String: Int] = [:]
        for (index, node) in nodes.enumerated() {
            inner[node.parent, default: []].append(index)
            place[node.id] = index
        }
        // A box cannot be a node of its own: its edges end at the box.
        func write(_ parent: String?, _ indentation: String) {
            for index in inner[parent] ?? [] {
                let node = nodes[index]
                let label = node.labelLines.map(escape).joined(separator: "<br>")
                guard inner[node.id] != nil else {
                    let (open, close) = shape(node.kind)
                    text += "\(indentation)n\(index)\(open)\"\(label)\"\(close)\n"
                    continue
                }
                text += "\(indentation)subgraph n\(index)[\"\(label)\"]\n"
                write(node.id, indentation + "    ")
                text += "\(indentation)end\n"
            }
        }
        write(nil, "    ")
        for edge in edges {
            guard let from = place[edge.from], let to = place[edge.to] else { continue }
            let arrow = edge.kind == .data ? "-->" : "-.->"
            var label = edge.caption
            if edge.kind == .feedback && label.isEmpty { label = "feedback" }
            if edge.kind == .read && label.isEmpty { label = "reads" }
            let caption = label.isEmpty ? "" : "|\"\(escape(label))\"|"
            text += "    n\(from) \(arrow)\(caption) n\(to)\n"
        }
        let off = nodes.indices.filter { nodes[$0].figures.isOff }
        if !off.isEmpty {
            text += "    classDef off stroke-dasharray: 5 3\n"
            text += "    class \(off.map { "n\($0)" }.joined(separator: ",")) off\n"
        }
        return text
    }

    private func shape(_ kind: GraphNode.Kind) -> (String, String) {
        switch kind {
        case .source: ("([", "])")
        case .step: ("[", "]")
        case .stream: ("[[", "]]")
        case .action: ("{{", "}}")
        case .reactor: ("[(", ")]")
        }
    }

    /// Mermaid reads HTML, Markdown, and its own marks in a quoted text: all but letters, digits, and harmless
    /// punctuation becomes an entity.
    private func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.oneLine.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ", ".", ",", "/", ":", "-", "=", "+", "(", ")", "?", "!":
                escaped.unicodeScalars.append(scalar)
            case "\u{80}"...: escaped.unicodeScalars.append(scalar)
            default: escaped += "#\(scalar.value);"
            }
        }
        return escaped
    }
}
