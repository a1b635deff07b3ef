import RxJSON
import Testing

@testable import rxctl

@Suite("Why an action does what it does")
struct ActionWhyTests {
    private let now = WireTime.milliseconds("2026-11-26T12:00:00.000Z")!

    private func lines(_ text: String) throws -> [String] {
        ActionWhy.lines(try RawJSON(validating: text).value(), at: now)
    }

    @Test("names its next time, and what has it start then")
    func next() throws {
        #expect(
            try lines(#"{"upcoming":[{"time":"2026-11-26T15:00:00.000Z","stream":"backup@1"}],"firings":[]}"#) == [
                "Its next time is 2026-11-26T15:00:00.000Z, in 3h: a slot of the stream backup@1"
            ])
        #expect(
            try lines(#"{"upcoming":[{"time":"2026-11-26T14:59:09.500Z","execution":"01a2"}]}"#) == [
                "Its next time is 2026-11-26T14:59:09.500Z, in 2h 59m: execution 01a2, requested for that time"
            ])
        #expect(try lines(#"{"upcoming":[],"queued":0}"#).isEmpty)
    }

    @Test("names those of its streams that are disabled, with the reason")
    func disabledStreams() throws {
        let text = #"""
            [{"stream":"backup@1","source":"every 1h","targets":["backup"],"state":"disabled","reason":"disk swap"},
             {"stream":"backup@2","source":"start","targets":["backup"],"state":"running"},
             {"stream":"other@1","source":"start","targets":["other"],"state":"disabled","reason":"no"}]
            """#
        let streams = try #require(try RawJSON(validating: text).value().array)
        #expect(
            ActionWhy.disabledStreams(of: "backup", among: streams, at: now) == [
                "backup@1 (every 1h) is disabled: disk swap."
            ])
    }

    @Test("counts what waits in its queue")
    func queued() throws {
        #expect(try lines(#"{"queued":1}"#) == ["1 input waits in its queue."])
        #expect(try lines(#"{"queued":20}"#) == ["20 inputs wait in its queue."])
    }

    @Test("lists its last firings, the newest first, with their streams")
    func firings() throws {
        let text = #"""
            {"firings":[
                {"time":"2026-11-26T11:00:00.000Z","target":"a","stream":"s","outcome":"refused","message":"full"},
                {"time":"2026-11-26T11:59:00.000Z","target":"a","stream":"a@1","outcome":"started","execution":"01a2",
                 "end":"completed"}]}
            """#
        #expect(
            try lines(text) == [
                "The last firings:", "  1m ago  a@1  started  01a2 completed", "  1h ago  s    refused  full",
            ])
    }
}
