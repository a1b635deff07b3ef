import RxJSON
import RxTerminal
import Testing

@testable import rxctl

struct HistoryTableTests {
    /// 2026-11-21T01:05:00Z
    private static let now: Int64 = 1_795_223_100_000

    private static func records() throws -> [JSONValue] {
        let text = #"""
            [{"execution":"01a1fdb4-a429-7000-85f0-2bafa9a4fd78","action":"deploy","state":"failed",
              "by":{"uid":0,"gid":0,"pid":1},"input":{"env":"prod","version":"1.2.0"},
              "queuedAt":"2026-11-21T01:02:03.000Z","startedAt":"2026-11-21T01:02:04.000Z",
              "endedAt":"2026-11-21T01:03:05.250Z","elements":12,
              "error":{"code":-32001,"message":"the process\u001b[2J exited with 3\nmore"}},
             {"execution":"01a1fdb4-a429-7000-85f0-2bafa9a4fd79","action":"nightly","state":"executing",
              "by":{"stream":"nightly@1"},"input":null,
              "queuedAt":"2026-11-21T01:04:50.000Z","startedAt":"2026-11-21T01:04:51.000Z","endedAt":null,
              "elements":0,"error":null},
             {"execution":"01a1fdb4-a429-7000-85f0-2bafa9a4fd7a","action":"翻訳","state":"completed",
              "by":{"reactor":"light","rule":0},"input":"漢字の入力、とても長い",
              "queuedAt":"2026-11-21T01:03:00.000Z","startedAt":"2026-11-21T01:03:00.000Z",
              "endedAt":"2026-11-21T01:03:00.120Z","elements":1,"error":null},
             {"execution":"01a1fdb4-a429-7000-85f0-2bafa9a4fd7b","action":"deploy","state":"queued",
              "by":{"uid":0,"gid":0,"pid":1},"input":{"token":"[redacted]"},"at":"2026-11-21T04:17:00.000Z",
              "queuedAt":"2026-11-21T01:04:00.000Z","startedAt":null,"endedAt":null,"elements":0,"error":null}]
            """#
        return try RawJSON(validating: text).value().array ?? []
    }

    private func lines(_ width: Int) throws -> [String] {
        var table = HistoryTable(isColored: false)
        return table.lines(try Self.records(), at: Self.now, width: width)
    }

    @Test("a record is a row: when, what, how it is, how long it took, for whom, with which input, and its error")
    func wide() throws {
        #expect(
            try lines(140) == [
                "TIME       ACTION   EXECUTION  STATE         TOOK  BY                ELEMENTS  INPUT      "
                    + "                     ERROR",
                #"2m ago     deploy   a9a4fd78   ✕ failed     1m 1s  root                    12  {"env":"pro"#
                    + #"d","version":"1.2.…  the process�[2J exited with 3"#,
                "9s ago     nightly  a9a4fd79   ● executing   9.0s  stream nightly@1",
                #"2m ago     翻訳     a9a4fd7a   ✓ completed  120ms  reactor light            1  "漢字の入力、とても長い""#,
                #"in 3h 12m  deploy   a9a4fd7b   ○ queued            root                        {"token":"["#
                    + #"redacted]"}"#,
            ])
    }

    @Test("it fits 80 columns")
    func usual() throws {
        #expect(
            try lines(80) == [
                "TIME       ACTION   ID            TOOK  BY            INPUT         ERROR",
                #"2m ago     deploy   a9a4fd78  ✕  1m 1s  root          {"env":"pro…  the process…"#,
                "9s ago     nightly  a9a4fd79  ●   9.0s  stream nigh…",
                #"2m ago     翻訳     a9a4fd7a  ✓  120ms  reactor lig…  "漢字の入力…"#,
                #"in 3h 12m  deploy   a9a4fd7b  ○         root          {"token":"[…"#,
            ])
    }

    @Test("on 40 columns there are shapes instead of states")
    func narrow() throws {
        #expect(
            try lines(40) == [
                "ACTION   ID           INPUT     ERROR",
                #"deploy   a9a4fd78  ✕  {"env":…  the pro…"#,
                "nightly  a9a4fd79  ●",
                #"翻訳     a9a4fd7a  ✓  "漢字の…"#,
                #"deploy   a9a4fd7b  ○  {"token…"#,
            ])
    }

    @Test("no line is wider than the terminal", arguments: 1...160)
    func fits(width: Int) throws {
        for line in try lines(width) { #expect(CellWidth.of(line) <= width) }
    }

    @Test("nothing is a headline alone")
    func empty() {
        var table = HistoryTable(isColored: false)
        #expect(table.lines([], at: Self.now, width: 80) == ["TIME  ACTION  EXECUTION  STATE"])
    }

    @Test("each state has a shape of its own, and so has one of a newer daemon")
    func shapes() {
        let shapes = StateList.all.map { StateSymbol.execution($0).shape }
        #expect(Set(shapes).count == shapes.count)
        #expect(StateSymbol.execution("paused").shape == "?" && StateSymbol.execution("paused").word == "paused")
        for shape in shapes { #expect(CellWidth.of(shape) == 1) }
    }
}

struct WireTimeTests {
    @Test(
        "times count milliseconds since 1970, across leap years",
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0), ("2026-11-21T01:02:03.123Z", 1_795_222_923_123),
            ("2000-02-29T23:59:59.999Z", 951_868_799_999), ("2000-03-01T00:00:00.000Z", 951_868_800_000),
            ("1969-12-31T23:59:59.999Z", -1), ("2100-03-01T00:00:00.000Z", 4_107_542_400_000),
        ] as [(String, Int64)])
    func known(text: String, milliseconds: Int64) {
        #expect(WireTime.milliseconds(text) == milliseconds)
    }

    @Test("other text is no time", arguments: ["", "2026-11-21", "2026-11-21T01:02:03Z", "2026-13-21T01:02:03.123Z"])
    func others(text: String) {
        #expect(WireTime.milliseconds(text) == nil)
    }
}
