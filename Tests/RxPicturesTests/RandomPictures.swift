import RxJSON
import RxPictures

/// Random numbers that are the same in each run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// Pictures of no sense: every kind of node, edge, and event, with hostile labels.
struct RandomPictures {
    private var random: SplitMix
    private static let words = [
        "a", "filter", ".x | test(\"<b>\")", "保存する", "]]>", "--> end", "WWWWWWWWWWWWWWWWWWWW", "e\u{301}", "&amp;",
        "line\nbreak", "\u{0}\u{1B}[31m", "👩‍👩‍👧‍👦", "\\\"'`#;", "",
        "iiii", "very long text that goes on and on and on",
        "\u{202E}rtl",
    ]

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func text() -> String {
        (0..<number(1...3)).map { _ in Self.words[number(0...Self.words.count - 1)] }.joined(separator: " ")
    }

    private mutating func figures() -> GraphFigures {
        GraphFigures(
            perMinute: number(0...2) == 0 ? Double(number(0...100_000)) / 7 : nil,
            refused: number(0...4) == 0 ? number(0...5000) : nil, waiting: number(0...6) == 0 ? text() : nil,
            disabled: number(0...8) == 0 ? text() : nil, isEnded: number(0...9) == 0)
    }

    mutating func graph() -> Graph {
        let count = number(0...40)
        let kinds: [GraphNode.Kind] = [.source, .step, .step, .step, .stream, .action, .reactor]
        var nodes: [GraphNode] = []
        for index in 0..<count {
            let kind = kinds[number(0...kinds.count - 1)]
            let outer = nodes.filter { $0.kind == .step }
            let parent =
                kind == .step && !outer.isEmpty && number(0...3) == 0 ? outer[number(0...outer.count - 1)].id : nil
            nodes.append(
                GraphNode(
                    id: "\(index)", kind: kind, label: text(), detail: text(), stream: "s\(index % 5)", parent: parent,
                    figures: figures()))
        }
        let edgeKinds: [GraphEdge.Kind] = [.data, .data, .data, .data, .feedback, .condition, .read]
        var edges: [GraphEdge] = []
        for _ in 0..<(count == 0 ? 0 : number(0...count * 2)) {
            // Most edges lead to the next nodes, as in streams; some lead anywhere.
            let from = number(0...count - 1)
            let to = number(0...3) == 0 ? number(0...count - 1) : min(count - 1, from + number(1...3))
            edges.append(
                GraphEdge(
                    from: "\(from)", to: "\(to)", kind: edgeKinds[number(0...edgeKinds.count - 1)],
                    label: number(0...2) == 0 ? text() : "",
                    perMinute: number(0...4) == 0 ? Double(number(0...1000)) : nil))
        }
        return Graph(title: text(), nodes: nodes, edges: edges)
    }

    mutating func marbles() -> Marbles {
        let lanes = (0..<number(1...5)).map { "\($0) \(text())" }
        let count = [0, 1, 3, 20, 200, 2000][number(0...5)]
        let kinds: [MarbleEvent.Kind] =
            [.element, .element, .element, .error, .executing(true), .executing(false), .executionStarted]
            + [.executionEnded, .lag(number(1...100_000)), .completed]
            + MarbleEvent.Firing.allCases.map { .firing($0) }
        var time = Int64(1_774_702_920_000)
        var events: [MarbleEvent] = []
        for _ in 0..<count {
            // Bursts, and times of silence between them.
            time += [0, 1, 20, 300, 5000, 3_600_000][min(number(0...5), number(0...5))]
            let run = number(0...2) == 0 ? "\(events.count / 6)" : nil
            events.append(
                MarbleEvent(
                    time: time, lane: lanes[number(0...lanes.count - 1)], kind: kinds[number(0...kinds.count - 1)],
                    execution: run, value: number(0...3) == 0 ? nil : RawJSON(unchecked: Array("\"\(text())\"".utf8)),
                    error: number(0...3) == 0 ? text() : nil))
        }
        let seconds = number(-12...14) * 3600
        return Marbles(
            title: text(), events: events, lanes: lanes,
            from: number(0...3) == 0 ? 1_774_702_921_000 : nil, offset: { _ in seconds })
    }
}
