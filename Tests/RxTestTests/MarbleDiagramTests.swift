import Testing

@testable import RxTest

@Suite("Marble diagrams")
struct MarbleDiagramTests {
    private typealias Mark = MarbleDiagram.Mark

    private func frames(_ text: String, _ kind: MarbleDiagram.Kind = .expected, resolution: Double = 1) throws
        -> [Int: [Mark]]
    {
        let diagram = try MarbleDiagram(text, kind, resolution: resolution)
        return Dictionary(grouping: diagram.entries, by: \.frame).mapValues { $0.map(\.mark) }
    }

    @Test("each character takes a frame")
    func frames() throws {
        #expect(try frames("--a-B7|") == [2: [.value("a")], 4: [.value("B")], 5: [.value("7")], 6: [.completed]])
        #expect(try frames("a#") == [0: [.value("a")], 1: [.failed]])
        #expect(try frames("---").isEmpty)
        #expect(try frames("").isEmpty)
    }

    @Test("spaces take none")
    func spaces() throws {
        #expect(try frames("  - a- b |") == [1: [.value("a")], 3: [.value("b")], 4: [.completed]])
    }

    @Test("a group is at the frame of its bracket, and time passes behind it for each character")
    func groups() throws {
        #expect(
            try frames("-(ab)-c(d|)") == [
                1: [.value("a"), .value("b")], 6: [.value("c")], 7: [.value("d"), .completed],
            ])
    }

    @Test("frame 0 is at the ^ of a hot diagram")
    func hot() throws {
        #expect(
            try frames("a-^-b|", .hot) == [-2: [.value("a")], 0: [.subscribed], 2: [.value("b")], 3: [.completed]])
    }

    @Test("a subscription has a beginning and an end, at one frame too")
    func subscriptions() throws {
        #expect(try frames("-^--!", .subscription) == [1: [.subscribed], 4: [.unsubscribed]])
        #expect(try frames("-(^!)", .subscription) == [1: [.subscribed, .unsubscribed]])
        #expect(try frames("--^", .subscription) == [2: [.subscribed]])
    }

    @Test("a time between spaces passes as the resolution states")
    func times() throws {
        #expect(try frames("a 9s b") == [0: [.value("a")], 10: [.value("b")]])
        #expect(try frames("2m |") == [120: [.completed]])
        #expect(try frames("a 250ms |", resolution: 0.001) == [0: [.value("a")], 251: [.completed]])
        #expect(try frames("1.5s a", resolution: 0.1) == [15: [.value("a")]])
        #expect(try frames("9s") == [:])
        // Without spaces it is names.
        #expect(try frames("a9s") == [0: [.value("a")], 1: [.value("9")], 2: [.value("s")]])
        #expect(try frames("a 9 s") == [0: [.value("a")], 1: [.value("9")], 2: [.value("s")]])
    }

    @Test(
        "a diagram that cannot be read names the column",
        arguments: [
            ("--a)b", MarbleDiagram.Kind.cold, 4, "no group begins before this `)`"),
            ("-(ab", .cold, 2, "this group is not closed"),
            ("(a(b))", .cold, 3, "a group within a group"),
            ("(a-b)", .cold, 3, "time does not pass within a group"),
            ("(a 9s b)", .cold, 4, "time does not pass within a group"),
            ("-|a", .cold, 3, "the sequence has ended before this"),
            ("-#-|", .hot, 4, "the sequence has ended before this"),
            ("-a*", .cold, 3, "`*` means nothing here"),
            ("--^a", .cold, 3, "`^` belongs to hot sequences and to subscriptions"),
            ("^-a", .expected, 1, "`^` belongs to hot sequences and to subscriptions"),
            ("-^-^-", .hot, 4, "this stands here once only"),
            ("a(^b)", .hot, 3, "`^` does not stand in a group"),
            ("-a!", .hot, 3, "`!` belongs to diagrams of subscriptions"),
            ("^-a-!", .subscription, 3, "a subscription has only `^` and `!`"),
            ("^-!!", .subscription, 4, "this stands here once only"),
            ("- 2ms a", .cold, 3, "2ms is not a whole number of frames of 1.0 s"),
        ])
    func errors(text: String, kind: MarbleDiagram.Kind, column: Int, problem: String) {
        #expect {
            try MarbleDiagram(text, kind)
        } throws: {
            ($0 as? MarbleSyntaxError).map { ($0.column, $0.problem) } ?? (0, "") == (column, problem)
        }
    }

    @Test("the error points at the place")
    func errorText() {
        let error = #expect(throws: MarbleSyntaxError.self) { try MarbleDiagram("--a)b", .cold) }
        #expect(
            error?.description == """
                marble diagram, column 4: no group begins before this `)`
                --a)b
                   ^ here
                """)
    }
}
