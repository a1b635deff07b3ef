import RxPictures
import Testing

@Suite struct GraphPictureTests {
    @Test(arguments: ExampleGraphs.all.map(\.name))
    func everyFormatOfAnExampleIsAsReviewed(name: String) throws {
        let graph = try #require(ExampleGraphs.all.first { $0.name == name }).graph
        try Golden.expect(graph.text(), "\(name).txt")
        try Golden.expect(graph.dot(), "\(name).dot")
        try Golden.expect(graph.mermaid(), "\(name).mmd")
        try Golden.expect(graph.svg(), "\(name).svg")
    }
}
