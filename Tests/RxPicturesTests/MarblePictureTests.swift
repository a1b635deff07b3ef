import RxPictures
import Testing

@Suite struct MarblePictureTests {
    @Test(arguments: ExampleMarbles.all.map(\.name))
    func everyFormatOfAnExampleIsAsReviewed(name: String) throws {
        let marbles = try #require(ExampleMarbles.all.first { $0.name == name }).marbles
        try Golden.expect(marbles.text(), "marbles-\(name).txt")
        try Golden.expect(marbles.svg(), "marbles-\(name).svg")
    }
}
