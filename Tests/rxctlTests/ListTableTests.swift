import RxJSON
import RxTerminal
import Testing

@testable import rxctl

/// The tables of `list`.
struct ListTableTests {
    /// 2026-11-21T01:05:00Z
    private static let now: Int64 = 1_795_223_100_000

    private static func json(_ text: String) throws -> JSONValue { try RawJSON(validating: text).value() }

    private static func actions(_ width: Int) throws -> [String] {
        let actions = try json(
            #"""
            [{"action":"backup","description":"Copies /srv to the other machine","kind":"process","overlap":"queue",
              "parallel":1,"executing":false,"queued":0,"enabled":true,"reason":null,
              "next":"2026-11-21T04:17:00.000Z"},
             {"action":"convert","description":"Converts a picture","kind":"process","overlap":"queue","parallel":8,
              "by":".env","executing":true,"queued":12,"enabled":true,"reason":null,"next":null},
             {"action":"deploy","description":null,"kind":"process","overlap":"reject","parallel":1,"executing":true,
              "queued":0,"enabled":false,"reason":{"cause":"executing","execution":"E",
              "since":"2026-11-21T01:00:00.000Z","inFlight":1,"limit":1},"next":null},
             {"action":"light","kind":"builtin","overlap":"reject","parallel":1,"executing":false,"queued":0,
              "enabled":false,"reason":{"cause":"manual"},"next":null},
             {"action":"翻訳する","kind":"builtin","overlap":"latest","parallel":1,"executing":true,"queued":0,
              "enabled":false,"reason":{"cause":"condition"},"next":null}]
            """#)
        let executing = try json(
            #"""
            [{"action":"convert","startedAt":"2026-11-21T01:04:48.000Z"},
             {"action":"convert","startedAt":"2026-11-21T01:04:49.000Z"},
             {"action":"翻訳する","startedAt":"2026-11-21T01:04:59.000Z"}]
            """#)
        return ActionTable(actions.array ?? [], executing: executing.array ?? [])
            .lines(at: now, width: width, isColored: false)
    }

    @Test("actions have their state, their next time, how many are in flight of how many, and how many wait")
    func actions() throws {
        #expect(
            try Self.actions(160) == [
                "ACTION    STATE                                         NEXT       IN FLIGHT  QUEUED  OVER"
                    + "LAP  BY    KIND     DESCRIPTION",
                "backup    ○ enabled                                     in 3h 12m                     queu"
                    + "e          process  Copies /srv to the other machine",
                "convert   ● executing for 12s                                         2 of 8      12  queu"
                    + "e    .env  process  Converts a picture",
                "deploy    ● executing for 5m                                               1          reje"
                    + "ct         process",
                "light     ✕ disabled: manual                                                          reje"
                    + "ct         builtin",
                "翻訳する  ● executing for 1s, then disabled: condition                     1          late"
                    + "st         builtin",
            ])
    }

    @Test(
        "a disabled action has the reason that was given, or else its cause",
        arguments: [
            (#"{"cause":"manual","reason":"bulb is out"}"#, "bulb is out"), (#"{"cause":"manual"}"#, "manual"),
            (#"{"cause":"condition","message":"it is day"}"#, "it is day"),
            (#"{"cause":"condition","when":".x"}"#, "condition"),
        ])
    func reasons(reason: String, words: String) throws {
        for isExecuting in [false, true] {
            let action = try Self.json(
                #"{"action":"light","executing":\#(isExecuting),"enabled":false,"reason":\#(reason)}"#)
            let lines = ActionTable([action], executing: []).lines(at: Self.now, width: 80, isColored: false)
            let start = isExecuting ? "● executing, then disabled" : "✕ disabled"
            #expect(lines.last?.contains("\(start): \(words)") == true, "\(lines)")
        }
    }

    @Test("they fit 80 columns, and 40")
    func narrowActions() throws {
        #expect(
            try Self.actions(80) == [
                "ACTION    STATE                NEXT       IN FLIGHT  QUEUED  DESCRIPTION",
                "backup    ○ enabled            in 3h 12m                     Copies /srv to the…",
                "convert   ● executing for 12s                2 of 8      12  Converts a picture",
                "deploy    ● executing for 5m                      1",
                "light     ✕ disabled: manual",
                "翻訳する  ● executing for 1s…                     1",
            ])
        #expect(
            try Self.actions(40) == [
                "ACTION    STATE                NEXT",
                "backup    ○ enabled            in 3h 12m",
                "convert   ● executing for 12s",
                "deploy    ● executing for 5m",
                "light     ✕ disabled: manual",
                "翻訳する  ● executing for 1s…",
            ])
        for width in 1...160 {
            for line in try Self.actions(width) { #expect(CellWidth.of(line) <= width) }
        }
    }

    private static func streams(_ width: Int) throws -> [String] {
        let reply = try json(
            #"""
            {"streams":[
              {"stream":"backup@1","state":"running","next":"2026-11-21T04:17:00.000Z","targets":["backup"],
               "last":{"time":"2026-11-21T01:00:00.000Z","outcome":"started","end":"completed"}},
              {"stream":"saves","state":"waiting","reason":"/srv is not there","targets":["site","light"]},
              {"stream":"visitors","state":"disabled","reason":"too many","targets":[],
               "last":{"time":"2026-11-21T01:00:00.000Z","outcome":"refused"}},
              {"stream":"once","state":"ended","targets":["site"]}],
             "actions":[{"action":"backup","enabled":true},{"action":"light","enabled":false,
               "reason":{"cause":"manual"}},{"action":"site","enabled":false,"reason":{"cause":"executing"}}]}
            """#)
        return StreamTable.lines(of: reply, at: now, width: width, isColored: false)
    }

    @Test("streams have their state, their next time, and what they start, with why that is disabled")
    func streams() throws {
        #expect(
            try Self.streams(160) == [
                "STREAM    STATE                         NEXT       LAST              STARTS",
                "backup@1  ● running                     in 3h 12m  completed 5m ago  backup",
                "saves     ○ waiting: /srv is not there                               site light (disabled: manual)",
                "visitors  ✕ disabled: too many                     refused 5m ago",
                "once      ■ ended                                                    site",
            ])
        #expect(
            try Self.streams(80) == [
                "STREAM    STATE                NEXT       LAST              STARTS",
                "backup@1  ● running            in 3h 12m  completed 5m ago  backup",
                "saves     ○ waiting: /srv is…                               site light (disable…",
                "visitors  ✕ disabled: too ma…             refused 5m ago",
                "once      ■ ended                                           site",
            ])
        #expect(
            try Self.streams(40) == [
                "STREAM    STATE                NEXT",
                "backup@1  ● running            in 3h 12m",
                "saves     ○ waiting: /srv is…",
                "visitors  ✕ disabled: too ma…",
                "once      ■ ended",
            ])
        for width in 1...160 {
            for line in try Self.streams(width) { #expect(CellWidth.of(line) <= width) }
        }
    }

    @Test("reactors have their revision and whether it is kept")
    func reactors() throws {
        let reactors = try Self.json(
            #"""
            [{"reactor":"light","revision":1200,"durability":"normal","kind":"jq","description":"The light"},
             {"reactor":"door","revision":3,"kind":"jq","description":null}]
            """#
        ).array
        #expect(
            ReactorTable.lines(of: reactors ?? [], width: 80, isColored: false) == [
                "REACTOR  REVISION  KEPT    KIND  DESCRIPTION",
                "light        1200  normal  jq    The light",
                "door            3  no      jq",
            ])
    }
}
