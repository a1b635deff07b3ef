import RxJSON
import RxTerminal

@testable import rxctl

/// A daemon as `top` finds it.
enum ExampleTop {
    /// 2026-11-26T12:00:00Z
    static let now: Int64 = 1_795_694_400_000

    static func state(_ change: (inout TopState) -> Void = { _ in }) -> TopState {
        var state = TopState()
        state.take(snapshot())
        change(&state)
        return state
    }

    /// The frame as text; the time zone is UTC.
    static func frame(_ state: TopState, columns: Int = 80, rows: Int = 24, hasKeys: Bool = true) -> Frame {
        var state = state
        let layout = TopLayout(columns: columns, rows: rows, hasKeys: hasKeys)
        state.scroll(toFit: layout.list(lines: TopList.lines(of: state.items).count).rows)
        return TopView(state: state, layout: layout, offset: { _ in 0 }).frame()
    }

    static func snapshot(at time: Int64 = now) -> TopSnapshot {
        TopSnapshot(
            time: time,
            daemon: TopDaemon([
                "version": "0.9.0", "startedAt": .string(text(now - 11_520_000)),
                "processorMilliseconds": 115_200, "residentBytes": JSONValue(25_500_000),
            ]),
            items: actions.map { TopItem(action: $0) } + reactors.map { TopItem(reactor: $0) }
                + streams.map { TopItem(stream: $0) })
    }

    static func text(_ time: Int64) -> String {
        // Only times of the example's day.
        let rest = Int(time - now) + 43_200_000
        func two(_ number: Int, _ digits: Int = 2) -> String {
            String(repeating: "0", count: digits - "\(number)".count) + "\(number)"
        }
        return "2026-11-26T\(two(rest / 3_600_000)):\(two(rest / 60_000 % 60)):\(two(rest / 1000 % 60))."
            + "\(two(rest % 1000, 3))Z"
    }

    private static func end(_ state: String, _ start: Int64, _ end: Int64) -> JSONValue {
        [
            "state": .string(state), "startedAt": .string(text(now - start)), "endedAt": .string(text(now - end)),
        ]
    }

    private static func action(
        _ name: String, inFlight: Int = 0, queued: Int = 0, next: Int64? = nil, reason: JSONValue = .null,
        since: [Int64] = [], ends: [JSONValue] = []
    ) -> JSONValue {
        [
            "action": .string(name), "inFlight": JSONValue(inFlight), "queued": JSONValue(queued),
            "enabled": .bool(reason.isNull), "reason": reason,
            "next": next.map { .string(text(now + $0)) } ?? .null,
            "since": .array(since.map { .string(text(now - $0)) }), "ends": .array(ends),
        ]
    }

    private static let actions: [JSONValue] = [
        action(
            "backup", next: 10_800_000,
            ends: (1...20).map { number in
                let ago = Int64(21 - number) * 60_000
                return end(number == 7 ? "failed" : "completed", ago, ago - 3000)
            }),
        action(
            "deploy", inFlight: 2, queued: 12, since: [21_000, 4000],
            ends: [
                end("completed", 55_000, 52_500), end("failed", 50_000, 47_000), end("timedOut", 45_000, 35_000),
                end("cancelled", 33_000, 30_000), end("completed", 28_000, 23_000),
            ]),
        action("mail", reason: ["cause": "manual", "reason": "the disk is full"]),
        action("release", reason: ["cause": "condition", "when": ".state.open"]),
        action("日本語の作業", ends: [end("completed", 5000, 4999)]),
    ]
    private static let reactors: [JSONValue] = [["reactor": "light", "revision": 12]]
    private static let streams: [JSONValue] = [
        ["stream": "clock", "state": "running", "next": .string(text(now + 1500)), "targets": ["backup", "mail"]],
        ["stream": "saves", "state": "waiting", "reason": "/srv/pages does not exist", "targets": ["deploy"]],
        ["stream": "visitors", "state": "disabled", "reason": "switched off", "targets": ["greet"]],
    ]
}
