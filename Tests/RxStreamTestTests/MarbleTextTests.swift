import Testing

@testable import RxStreamTest

struct MarbleTextTests {
    private func events(_ text: String) throws -> [String] {
        try MarbleText(parsing: text).events.map { "\($0.symbol.character)@\($0.moment / 1_000)" }
    }

    @Test("words take no time, and durations lie between them")
    func grammar() throws {
        #expect(try events("a 100ms b 1s c") == ["a@0", "b@100", "c@1100"])
        #expect(try events("  ab#C 1h30m | ") == ["a@0", "b@0", "#@0", "C@0", "|@5400000"])
        #expect(try events("1s 1s a") == ["a@2000"])
        #expect(try events("") == [])
        #expect(try events("5m") == [])
    }

    @Test(
        "a fault names the character",
        arguments: [
            ("a-b", 1), ("--a", 0), ("a 10 b", 2), ("a 1x", 2), ("a1s", 1), ("a é", 2), ("a | b", 4), ("a|b", 2),
            ("a 10ms? b", 2),
        ])
    func faults(_ text: String, _ position: Int) {
        let fault = #expect(throws: MarbleFault.self) { try MarbleText(parsing: text) }
        #expect(fault?.position == position)
    }

    @Test("a sequence is printed in the grammar in which it is read")
    func printing() throws {
        for text in ["a 100ms bc 1h30m # 1d |", "1s a", "ab", "a 1s 1s b", ""] {
            let marbles = try MarbleText(parsing: text)
            #expect(try MarbleText(parsing: marbles.description) == marbles)
        }
        #expect(try MarbleText(parsing: "a 1s 1s b").description == "a 2s b")
    }
}
