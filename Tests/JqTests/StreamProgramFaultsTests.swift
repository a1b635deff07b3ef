import Jq
import RxStreams
import Testing

@Suite
struct StreamProgramFaultsTests {
    @Test("valid programs have no faults, also with the variables of streams")
    func valid() {
        let texts = ["", ".", "$key", "$from.a + now", "{env}", "# nothing", "def f: 1; f", "now as $now | $now"]
        for use in [StreamProgram.Use.one, .many, .condition] {
            #expect(StreamProgram.faults(in: texts.map { StreamProgram($0, use) }).isEmpty)
        }
        #expect(StreamProgram.faults(in: []).isEmpty)
    }

    @Test("each invalid program has its fault, with the line of its author")
    func invalid() {
        let programs = [".", ".a |\n$other", "env", "foo(1)", "$key", "1) | (2", "[1", "1\u{0}"].map {
            StreamProgram($0, .many)
        }
        #expect(
            StreamProgram.faults(in: programs) == [
                1: "$other is not defined at <top-level>, line 2: $other",
                2: #"uses "env", which is not available in programs of streams"#,
                3: "foo/1 is not defined at <top-level>, line 1: foo(1)",
                5: #"syntax error, unexpected ")""#,
                6: "syntax error, unexpected $end (Unix shell quoting issues?) at <top-level>, line 1: [1",
                7: "the program contains a NUL",
            ])
    }
}
