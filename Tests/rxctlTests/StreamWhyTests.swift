import RxJSON
import Testing

@testable import rxctl

@Suite("why of a stream prints")
struct StreamWhyTests {
    /// 2026-03-28T13:05:00Z
    private let now: Int64 = 1_774_703_100_000

    private func lines(_ state: String, _ rest: String = "") throws -> [String] {
        let text =
            #"{"stream":"saves","source":"path /srv","targets":["site"],\#(state),"taken":0,"emitted":0,"lost":0,"#
            + #""firings":[]\#(rest)}"#
        // Members that come again replace those before.
        var object: JSONObject = [:]
        for member in try RawJSON(validating: text).value().object ?? [:] { object[member.key] = member.value }
        return StreamWhy.lines(.object(object), at: now)
    }

    @Test("when a schedule is due, what is due in a step, and why a source waits")
    func states() throws {
        #expect(
            try lines(#""state":"running","next":"2026-03-28T16:05:00.000Z""#).first
                == "saves (path /srv) is due at 2026-03-28T16:05:00.000Z, in 3h.")
        #expect(
            try lines(#""state":"waiting","reason":"/srv does not exist""#) == [
                "saves (path /srv) waits: /srv does not exist.",
                "Its source has emitted nothing since the daemon started.", "Nothing has fired yet.",
            ])
        let due = try lines(#""state":"running","due":"2026-03-28T13:05:09.000Z""#)
        #expect(due.contains("Something is due in its steps at 2026-03-28T13:05:09.000Z, in 9s."))
    }

    @Test("a description has a line for each firing; that of an action names the streams")
    func described() throws {
        let firings = #"""
            [{"number":1,"time":"2026-03-28T13:04:51.000Z","target":"site","outcome":"started",
              "execution":"01a1fdb4-a429-7000-85f0-2bafa9a4fd78","end":"completed"STREAM},
             {"number":2,"time":"2026-03-28T13:04:58.000Z","target":"site","outcome":"refused",
              "error":"queueFull","message":"the queue is full"STREAM}]
            """#
        func lines(_ stream: String, width: Int) throws -> [String] {
            let text = firings.split(separator: "STREAM").joined(separator: stream)
            let reply = try RawJSON(validating: #"{"targets":["site"],"firings":\#(text)}"#).value()
            return FactLines.lines(of: StreamWhy.describing(reply, at: now), width: width, isColored: false)
        }
        #expect(
            try lines("", width: 100) == [
                #"targets  ["site"]"#,
                "firings  9s ago  site  started  01a1fdb4-a429-7000-85f0-2bafa9a4fd78 completed",
                "         2s ago  site  refused  queueFull: the queue is full",
            ])
        #expect(
            try lines(#","stream":"saves""#, width: 80) == [
                #"targets  ["site"]"#,
                "firings  9s ago  saves  started  01a1fdb4-a429-7000-85f0-2bafa9a4fd78 completed",
                "         2s ago  saves  refused  queueFull: the queue is full",
            ])
    }

    @Test("which step has let nothing through, with the counts of all, and what steps hold back")
    func steps() throws {
        func step(_ place: String, _ name: String, _ taken: Int, _ emitted: Int, waiting: Int = 0, failed: Int = 0)
            -> String
        {
            #"{"step":"\#(place)","operator":"\#(name)","taken":\#(taken),"emitted":\#(emitted),"#
                + #""waiting":\#(waiting),"failed":\#(failed)}"#
        }
        let stopped = [step("1", "map", 12, 11, failed: 1), step("2", "filter", 11, 0), step("3", "debounce", 0, 0)]
        let stream = #""state":"running","counts":{},"taken":12,"steps":[\#(stopped.joined(separator: ","))]"#
        #expect(
            try lines(#""state":"running""#, ",\(stream)") == [
                "saves (path /srv) is running.", "Step 2, filter, has let none of 11 elements through.",
                "Its elements since the daemon started:", "  0  source    12 out",
                "  1  map       12 in, 11 out, 1 failed",
                "  2  filter    11 in, 0 out", "  3  debounce  0 in, 0 out", "Nothing has fired yet.",
            ])
        let held = #","taken":2,"lost":1,"steps":[\#(step("1", "debounce", 2, 0, waiting: 1))]"#
        #expect(
            try lines(#""state":"running""#, held) == [
                "saves (path /srv) is running.", "It has dropped 1 element, because more came than it may hold.",
                "Its elements since the daemon started:", "  0  source    2 out",
                "  1  debounce  2 in, 0 out, 1 held back", "Nothing has fired yet.",
            ])
    }

    @Test("the last firings, the newest first, with the reasons of refusals and the ends of executions")
    func firings() throws {
        let firings = #"""
            ,"taken":3,"counts":{"started":2,"refused":1},"firings":[
            {"number":1,"time":"2026-03-28T13:02:00.000Z","target":"site","outcome":"started",
            "execution":"E1","end":"completed"},
            {"number":2,"time":"2026-03-28T13:04:00.000Z","target":"site","outcome":"refused",
            "error":"notEnabled","message":"E0 is executing"},
            {"number":3,"time":"2026-03-28T13:04:59.000Z","target":"site","outcome":"started","execution":"E2"}]
            """#
        #expect(
            try lines(#""state":"running""#, firings).dropFirst() == [
                "Firings since the daemon started: 2 started, 1 refused.", "The last firings:",
                "  1s ago  site  started  E2 has not ended",
                "  1m ago  site  refused  notEnabled: E0 is executing", "  3m ago  site  started  E1 completed",
            ])
    }
}
