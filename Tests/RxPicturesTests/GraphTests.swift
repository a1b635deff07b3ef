import Testing

@testable import RxPictures

@Suite struct GraphTests {
    private func stream(_ name: String, of reference: GraphInput.Reference) -> GraphInput.Stream {
        GraphInput.Stream(name: name, source: GraphInput.Source(key: "\(reference.kind)", references: [reference]))
    }

    @Test func anEdgeThatLeadsBackToItsCauseIsFeedback() {
        let graph = Graph(
            GraphInput(
                title: "loop", streams: [stream("outcomes", of: GraphInput.Reference(.action, "build"))],
                targets: [GraphInput.Target(kind: .action, name: "build", on: ["outcomes"])]))
        #expect(graph.edges.map { "\($0.from) \($0.kind)" } == ["action:build feedback", "stream:outcomes data"])
    }

    @Test func anInlineStreamHasANodeOnlyIfSomethingRefersToIt() {
        let inline = GraphInput.Stream(
            name: "backup@1", isInline: true, source: GraphInput.Source(key: "every", value: "1d"))
        let target = GraphInput.Target(kind: .action, name: "backup", on: ["backup@1"])
        let alone = Graph(GraphInput(title: "", streams: [inline], targets: [target]))
        #expect(alone.nodes.map(\.kind) == [.source, .action])
        let other = stream("copy", of: GraphInput.Reference(.stream, "backup@1"))
        let both = Graph(GraphInput(title: "", streams: [inline, other], targets: [target]))
        #expect(both.nodes.map(\.id).contains("stream:backup@1"))
    }

    @Test func anInlineStreamThatOnlyReadsAnActionIsConnectedToIt() {
        let inline = GraphInput.Stream(
            name: "alert@1", isInline: true,
            source: GraphInput.Source(
                key: "action", references: [GraphInput.Reference(.action, "deploy", label: "errors")]))
        let graph = Graph(
            GraphInput(
                title: "", streams: [inline],
                targets: [
                    GraphInput.Target(kind: .action, name: "alert", on: ["alert@1"]),
                    GraphInput.Target(kind: .action, name: "deploy"),
                ]))
        #expect(
            graph.edges.map { "\($0.from) \($0.to)" } == [
                "action:deploy stream:alert@1", "stream:alert@1 action:alert",
            ])
    }

    @Test func theStateOfAnInlineStreamIsShownAtItsLastNode() {
        let inline = GraphInput.Stream(
            name: "a@1", isInline: true, source: GraphInput.Source(key: "path", value: "/srv"),
            figures: GraphFigures(waiting: "no /srv"))
        let graph = Graph(
            GraphInput(
                title: "", streams: [inline], targets: [GraphInput.Target(kind: .action, name: "a", on: ["a@1"])]))
        #expect(graph.nodes[0].figures.waiting == "no /srv")
    }

    @Test func whatNoRowDefinesBecomesANode() {
        let graph = Graph(
            GraphInput(title: "", streams: [stream("a", of: GraphInput.Reference(.reactor, "missing"))], targets: []))
        #expect(graph.nodes.contains { $0.kind == .reactor && $0.label == "missing" })
    }

    @Test func aFocusedGraphHasWhatLeadsToANameAndWhatFollows() throws {
        let graph = try #require(ExampleGraphs.contract.focused(on: "site"))
        #expect(graph.nodes.map(\.label) == ["path", "debounce", "saves", "site"])
        #expect(ExampleGraphs.contract.focused(on: "nothing") == nil)
    }

    @Test func aFocusedGraphKeepsBoxesWithTheirSteps() throws {
        let graph = try #require(ExampleGraphs.contract.focused(on: "alert"))
        #expect(graph.nodes.map(\.label) == ["action", "filter", "groupBy", "throttle", "take", "failures", "alert"])
    }

    @Test func nodesBeyondTheLimitAreCountedAndNotDrawn() {
        let nodes = (0..<Graph.mostNodes + 7).map { GraphNode(id: "\($0)", kind: .step, label: "map") }
        let graph = Graph(title: "many", nodes: nodes, edges: [GraphEdge(from: "0", to: "\(Graph.mostNodes + 1)")])
        #expect(graph.nodes.count == Graph.mostNodes)
        #expect(graph.omitted == 8)
        #expect(graph.text().contains("(8 nodes and edges left out)"))
        #expect(graph.svg().contains("8 nodes and edges left out"))
    }

    @Test func theLargestGraphIsDrawnInBounds() {
        let nodes = (0..<Graph.mostNodes).map { GraphNode(id: "\($0)", kind: .step, label: "map") }
        let edges = (0..<Graph.mostEdges).map {
            GraphEdge(from: "\($0 % Graph.mostNodes)", to: "\(($0 * 7 + 13) % Graph.mostNodes)")
        }
        DrawingChecks.check(Graph(title: "many", nodes: nodes, edges: edges).drawing(), "largest")
    }

    @Test func mermaidGetsNoMarkOfItsOwnFromALabel() {
        let graph = Graph(
            title: "", nodes: [GraphNode(id: "end\"]", kind: .step, label: "\"] --> x; `<script>` #quot; 保存 |")],
            edges: [])
        #expect(
            graph.mermaid().split(separator: "\n").last.map(String.init)
                == "    n0[\"#34;#93; --#62; x#59; #96;#60;script#62;#96; #35;quot#59; 保存 #124;\"]")
    }

    @Test func dotQuotesWhatEndsAString() {
        let graph = Graph(title: "", nodes: [GraphNode(id: "a\"\\", kind: .step, label: "\\\" x")], edges: [])
        #expect(graph.dot().contains(#""a\"\\" [label="\\\" x""#))
    }
}
