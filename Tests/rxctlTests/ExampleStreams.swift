import RxJSON

/// Replies of a daemon with streams.
enum ExampleStreams {
    private static func source(
        _ step: String, _ place: String, _ key: String, _ value: String, _ references: String = ""
    ) -> String {
        #"{"step":"\#(step)","place":"\#(place)","key":"\#(key)","value":"\#(value)","references":[\#(references)]}"#
    }

    private static func reference(_ kind: String, _ name: String, _ label: String) -> String {
        #"{"kind":"\#(kind)","name":"\#(name)","label":"\#(label)"}"#
    }

    private static func step(_ place: String, _ name: String, _ argument: String, _ rest: String = "") -> String {
        #"{"step":"\#(place)","operator":"\#(name)","argument":"\#(argument)"\#(rest)}"#
    }

    private static func stream(
        _ name: String, _ state: String, taken: Int, emitted: Int, inline: Bool = false, sources: [String],
        steps: [String] = [], targets: [(String, String, Int)]
    ) -> String {
        let targets = targets.map { #"{"kind":"\#($0)","name":"\#($1)","refused":\#($2)}"# }.joined(separator: ",")
        return #"{"stream":"\#(name)","description":null,\#(state),"taken":\#(taken),"emitted":\#(emitted),"#
            + #""graph":{"inline":\#(inline),"seconds":600,"sources":[\#(sources.joined(separator: ","))],"#
            + #""steps":[\#(steps.joined(separator: ","))],"targets":[\#(targets)]}}"#
    }

    /// The reply to `stream.list` with `graph`.
    static let graph: String = {
        let backup = stream(
            "backup@1", #""state":"running""#, taken: 10, emitted: 10, inline: true,
            sources: [source("0", "1", "calendar", "*-*-* 03:00 Europe/Berlin")], targets: [("action", "backup", 0)])
        let rollout = stream(
            "rollout", #""state":"waiting","reason":"the queue of approval is full""#, taken: 30, emitted: 0,
            sources: [
                source("0", "1", "merge", ""),
                source("0", "1.1", "path", "/srv/site *.md"),
                source("0", "1.2", "action", "deploy errors", reference("action", "deploy", "errors")),
                source("1", "1", "reactor", "approval /by", reference("reactor", "approval", "/by")),
            ],
            steps: [
                step("1", "withLatestFrom", "", #","emitted":20,"failed":0"#),
                step("2", "concatMap", ".hosts[]", #","emitted":0,"failed":0"#),
                step("2.1", "concatMap", "yields all", #","executes":"deploy""#),
                step("2.2", "retry", "3, delay 10s"),
            ], targets: [("reactor", "approval", 3)])
        return #"{"streams":[\#(backup),\#(rollout)],"actions":["#
            + #"{"action":"backup","enabled":false,"reason":{"cause":"condition","reactor":"disk","when":".free"}},"#
            + #"{"action":"deploy","enabled":false,"reason":{"cause":"executing","execution":"E"}},"#
            + #"{"action":"page","enabled":false,"reason":{"cause":"manual","reason":"no pager"}},"#
            + #"{"action":"unrelated","enabled":true,"reason":null}],"#
            + #""reactors":[{"reactor":"approval","executes":["page"]},{"reactor":"other","executes":[]}]}"#
    }()

    /// 2026-03-28T13:02:00Z
    static let start: Int64 = 1_774_702_920_000

    /// The reply to `stream.describe`.
    static let saves =
        #"{"stream":"saves","source":"path /srv","state":"running","targets":["site","light"],"firings":["#
        + #"{"number":1,"time":"2026-03-28T13:02:01.000Z","target":"site","outcome":"started","execution":"E1"},"#
        + #"{"number":1,"time":"2026-03-28T13:02:01.500Z","target":"light","outcome":"reduced","revision":4},"#
        + #"{"number":2,"time":"2026-03-28T13:05:02.000Z","target":"site","outcome":"started","execution":"E2"},"#
        + #"{"number":3,"time":"2026-03-28T13:05:02.500Z","target":"site","outcome":"refused","#
        + #""error":"notEnabled","message":"site is executing"}]}"#

    /// Records: of the two firings, of a step of the stream, and of somebody else.
    static let records: String = {
        func record(_ id: String, _ action: String, _ state: String, _ by: String, _ start: String, _ end: String)
            -> String
        {
            let end = end.isEmpty ? "null" : #""2026-03-28T13:\#(end)Z""#
            return #"{"execution":"\#(id)","action":"\#(action)","state":"\#(state)","by":\#(by),"#
                + #""startedAt":"2026-03-28T13:\#(start)Z","endedAt":\#(end)}"#
        }
        return [
            record("E1", "site", "completed", #"{"stream":"saves"}"#, "02:01.010", "02:02.000"),
            record("E2", "site", "failed", #"{"stream":"saves"}"#, "05:02.010", "05:03.000"),
            record("E3", "deploy", "executing", #"{"stream":"saves"}"#, "05:02.700", ""),
            record("E4", "site", "completed", #"{"uid":0}"#, "02:01.000", "02:03.000"),
        ].joined(separator: ",")
    }()

    /// The events of `saves` on the channels `elements`, `errors`, and `firings`; the last firing is in `saves` too.
    static let events: [String] = [
        event("elements", "02:00.990", #""value":{"path":"a.md"}"#),
        event("errors", "03:30.000", #""error":{"code":-32001,"message":"no number","data":{"name":"workFailed"}}"#),
        event("lag", "04:00.000", #""value":{"dropped":12,"first":"e:1","last":"e:12"}"#),
        event("elements", "05:01.990", #""value":{"path":"b.md"}"#),
        event("elements", "05:02.490", #""value":{"path":"a.md"}"#),
        event(
            "firings", "05:02.500",
            #""value":{"number":3,"time":"2026-03-28T13:05:02.500Z","target":"site","outcome":"refused","#
                + #""error":"notEnabled","message":"site is executing"}"#),
    ]

    private static func event(_ channel: String, _ time: String, _ rest: String) -> String {
        #""time":"2026-03-28T13:\#(time)Z","channel":"\#(channel)","stream":"saves",\#(rest)"#
    }
}
