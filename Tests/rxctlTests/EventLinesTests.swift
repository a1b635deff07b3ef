import RxJSON
import RxProtocol
import RxTerminal
import Testing

@testable import rxctl

struct EventLinesTests {
    private static func records() throws -> [RawJSON] {
        let ended = #"""
            {"state":"failed","input":{"a":1},"startedAt":"2026-11-21T01:00:00.000Z",
             "endedAt":"2026-11-21T01:00:01.200Z","error":{"message":"exited with 3"}}
            """#
        let begun = #"{"state":"executing","input":{"a":1},"startedAt":"2026-11-21T01:00:00.000Z","endedAt":null}"#
        let id = #""action":"deploy","execution":"01a1fdb4-a429-7000-85f0-2bafa9a4fd78""#
        return try [
            ("executing", #""action":"deploy","value":true"#),
            ("elements", #"\#(id),"value":{"step":"漢字の入力、とても長い","n":[1,2,3]}"#),
            ("errors", #"\#(id),"error":{"code":1,"message":"exited with 3\nmore"}"#),
            ("enabled", #""action":"deploy","value":{"enabled":false,"reason":{"cause":"manual"}}"#),
            ("enabled", #""action":"deploy","value":{"enabled":true,"reason":null}"#),
            ("executing", #""action":"deploy","value":false"#), ("executions", #"\#(id),"value":\#(ended)"#),
            ("executions", #"\#(id),"value":\#(begun)"#), ("lag", #""value":{"dropped":12}"#),
            ("lag", #""value":{"dropped":null}"#),
            ("state", #""reactor":"light","value":{"revision":3,"state":{"on":true}}"#),
            ("reconnect", #""value":{"resumed":true}"#), ("end", #""value":{"reason":"shutdown"}"#),
            ("weather", #""stream":"s","value":1"#),
        ].map { channel, rest in
            try RawJSON(validating: #"{"channel":"\#(channel)","time":"2026-11-21T01:05:00.000Z",\#(rest)}"#)
        }
    }

    private static func lines(_ width: Int) throws -> [String] {
        var lines = EventLines(names: ["deploy"], channels: [], isColored: false)
        return try records().map { lines.line($0, width: width) }
    }

    @Test("an event is a line: its time, name, channel, execution, and value")
    func usual() throws {
        #expect(
            try Self.lines(80).map { String($0.dropFirst(8)) } == [
                "  deploy  executing            ● executing",
                #"  deploy  elements   a9a4fd78  {"step":"漢字の入力、とても長い","n":[1,…"#,
                "  deploy  errors     a9a4fd78  ✕ exited with 3 more",
                "  deploy  enabled              ✕ switched off",
                "  deploy  enabled              ○ enabled",
                "  deploy  executing            ○ idle",
                "  deploy  executions  a9a4fd78  ✕ failed 1.2s: exited with 3",
                #"  deploy  executions  a9a4fd78  ● executing: {"a":1}"#,
                "          lag                   ? 12 events were lost",
                "          lag                   ? events may have been lost",
                #"  light   state                 {"revision":3,"state":{"on":true}}"#,
                "          reconnect             ✓ nothing is missing",
                "          end                   ■ shutdown",
                "  s       weather               1",
            ])
    }

    @Test("a firing has the execution that it started, and what became of it")
    func firings() throws {
        var lines = EventLines(names: ["nights"], channels: [.firings], isColored: false)
        let id = #""execution":"01a1fdb4-a429-7000-85f0-2bafa9a4fd78""#
        let texts = [
            #"{"target":"backup","input":{"day":1},"outcome":"started",\#(id)}"#,
            #"{"target":"backup","input":{"day":1},"outcome":"started",\#(id),"end":"completed"}"#,
            #"{"target":"backup","input":{},"outcome":"refused","error":"queueFull","message":"the queue is full"}"#,
            #"{"target":"light","input":"on","outcome":"dispatched","revision":4}"#,
        ].map { #"{"channel":"firings","stream":"nights","value":\#($0)}"# }
        #expect(
            try texts.map { lines.line(try RawJSON(validating: $0), width: 80) } == [
                #"          nights  firings  a9a4fd78  ● backup started: {"day":1}"#,
                "          nights  firings  a9a4fd78  ✓ backup completed",
                "          nights  firings            ✕ backup refused: the queue is full",
                #"          nights  firings            ● light dispatched: "on""#,
            ])
    }

    @Test("on a narrow terminal, the execution and then the time are left out")
    func narrow() throws {
        #expect(
            try Self.lines(40) == [
                "deploy  executing  ● executing",
                #"deploy  elements   {"step":"漢字の入力…"#,
                "deploy  errors     ✕ exited with 3 more",
                "deploy  enabled    ✕ switched off",
                "deploy  enabled    ○ enabled",
                "deploy  executing  ○ idle",
                "deploy  executions  ✕ failed 1.2s: exit…",
                #"deploy  executions  ● executing: {"a":1}"#,
                "        lag         ? 12 events were lo…",
                "        lag         ? events may have b…",
                #"light   state       {"revision":3,"stat…"#,
                "        reconnect   ✓ nothing is missing",
                "        end         ■ shutdown",
                "s       weather     1",
            ])
        for width in 1...100 {
            for line in try Self.lines(width) { #expect(CellWidth.of(line) <= width) }
        }
    }
}
