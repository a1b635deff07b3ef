import TestSupport
import Testing

@testable import RxPictures

@Suite struct RandomPictureTests {
    @Test(arguments: ExampleGraphs.all.map(\.name))
    func graphsOfExamplesAreLegible(name: String) throws {
        let graph = try #require(ExampleGraphs.all.first { $0.name == name }).graph
        DrawingChecks.check(graph.drawing(), name)
        DrawingChecks.noEdgeCrossesANode(graph.drawing(), name)
    }

    @Test(arguments: ExampleMarbles.all.map(\.name))
    func marblesOfExamplesAreLegible(name: String) throws {
        let marbles = try #require(ExampleMarbles.all.first { $0.name == name }).marbles
        for width in [480, 960, 2000] { DrawingChecks.check(marbles.drawing(width: width), "\(name) \(width)") }
    }

    @Test(arguments: Effort.seeds(12))
    func randomGraphsAreLegible(seed: UInt64) {
        var random = RandomPictures(seed: seed)
        let graph = random.graph()
        DrawingChecks.check(graph.drawing(), "graph \(seed)")
        DrawingChecks.noEdgeCrossesANode(graph.drawing(), "graph \(seed)")
        #expect(graph.svg() == graph.svg())
    }

    @Test(arguments: Effort.seeds(12))
    func randomMarblesAreLegible(seed: UInt64) {
        var random = RandomPictures(seed: seed)
        let marbles = random.marbles()
        for width in [480, 960] { DrawingChecks.check(marbles.drawing(width: width), "marbles \(seed) \(width)") }
    }

    @Test(arguments: Effort.seeds(12))
    func randomTextsFitTheTerminal(seed: UInt64) {
        var random = RandomPictures(seed: seed)
        let graph = random.graph()
        let marbles = random.marbles()
        for width in [40, 80, 132] {
            for text in [graph.text(width: width), marbles.text(width: width)] {
                for line in text.split(separator: "\n") {
                    let isFit = String(line).columns <= width && line == line.withoutControls
                    if !isFit { Issue.record("\(seed), \(width): \(line.debugDescription)") }
                }
            }
        }
    }
}

extension Substring {
    /// The line without anything that moves the cursor.
    fileprivate var withoutControls: Substring {
        filter { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x202E } }[...]
    }
}
