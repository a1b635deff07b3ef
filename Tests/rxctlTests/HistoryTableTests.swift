import RxJSON
import Testing

@testable import rxctl

struct HistoryTableTests {
    @Test("a record is a row: its start, its duration, its origin, and the first line of its error")
    func rows() throws {
        let records = try RawJSON(
            validating: #"""
                [{"execution":"A","action":"x","state":"failed","by":{"uid":0,"gid":0,"pid":1},
                  "queuedAt":"2026-11-21T01:02:03.000Z","startedAt":"2026-11-21T01:02:04.000Z",
                  "endedAt":"2026-11-21T01:03:05.250Z","elements":12,
                  "error":{"code":-32001,"message":"exited\u001b[2J with 3\nmore"}},
                 {"execution":"B","action":"x","state":"queued","by":{"stream":"nightly"},
                  "queuedAt":"2026-11-21T01:02:05.000Z","startedAt":null,"endedAt":null,"elements":0,"error":null}]
                """#
        ).value().array
        var table = HistoryTable(showsActions: false)
        let lines = table.lines(try #require(records))
        #expect(
            lines == [
                "TIME                      EXECUTION  STATE   DURATION   BY              ELEMENTS  ERROR",
                "2026-11-21T01:02:04.000Z  A          failed  1m1s250ms  root            12        "
                    + "exited\u{FFFD}[2J with 3",
                "2026-11-21T01:02:05.000Z  B          queued             stream nightly  0",
            ])
    }

    @Test("further pages have no headline, and columns grow as they need; actions are a column where they differ")
    func pages() {
        func record(_ action: String, _ id: String) -> JSONValue {
            ["action": .string(action), "execution": .string(id), "state": "queued", "queuedAt": "T"]
        }
        var table = HistoryTable(showsActions: true)
        #expect(
            table.lines([record("a", "1")]) == [
                "TIME  ACTION  EXECUTION  STATE   DURATION  BY  ELEMENTS  ERROR", "T     a       1          queued",
            ])
        #expect(table.lines([]) == [])
        #expect(
            table.lines([record("release", "2"), record("b", "3")])
                == ["T     release  2          queued", "T     b        3          queued"])
        #expect(table.lines([record("b", "4")]) == ["T     b        4          queued"])
    }

    @Test("nothing is a headline alone")
    func empty() {
        var table = HistoryTable(showsActions: false)
        #expect(table.lines([]) == ["TIME  EXECUTION  STATE  DURATION  BY  ELEMENTS  ERROR"])
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
