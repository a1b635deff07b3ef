import RxJSON
import RxTerminal
import Testing

@testable import rxctl

struct StatusTextTests {
    /// 2026-11-21T01:05:00Z
    private static let now: Int64 = 1_795_223_100_000

    private static let status: JSONValue = [
        "version": "0.9.0", "pid": 4242, "startedAt": "2026-11-18T00:00:00.000Z", "actions": 12, "executions": 43,
        "connections": 4, "subscriptions": 1, "queuedBytes": 0,
    ]

    @Test("the status is a few lines: what is in flight, what is disabled, and who is connected")
    func lines() {
        let actions: [JSONValue] = [
            ["executing": true, "enabled": false, "reason": ["cause": "executing"]],
            ["executing": true, "enabled": true],
            ["executing": false, "enabled": false, "reason": ["cause": "manual"]],
            ["executing": false, "enabled": true],
        ]
        let streams: [JSONValue] = [
            ["state": "running"], ["state": "running"], ["state": "waiting"], ["state": "disabled"],
        ]
        let text = StatusText(Self.status, actions: actions, reactors: [[:], [:]], streams: streams)
        #expect(
            text.lines(at: Self.now, width: 80, isColored: false) == [
                "daemon    0.9.0, pid 4242, up 3d 1h",
                "actions   12: ● 2 executing, ✕ 1 disabled, 43 executions in flight or queued",
                "reactors  2",
                "streams   4: ● 2 running, ○ 1 waiting, ✕ 1 disabled",
                "clients   4 connections, 1 subscription",
            ])
        for width in 1...80 {
            for line in text.lines(at: Self.now, width: width, isColored: false) {
                #expect(CellWidth.of(line) <= width)
            }
        }
    }

    @Test("what the daemon does not list is left out")
    func unknown() {
        let text = StatusText(Self.status, actions: nil, reactors: nil, streams: nil)
        #expect(
            text.lines(at: Self.now, width: 80, isColored: false) == [
                "daemon   0.9.0, pid 4242, up 3d 1h", "actions  12: 43 executions in flight or queued",
                "clients  4 connections, 1 subscription",
            ])
    }
}
