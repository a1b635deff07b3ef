import RxJSON
import RxTerminal
import Testing

@testable import rxctl

@Suite("a row of top")
struct TopItemTests {
    @Test("has the median of the durations")
    func median() {
        func ends(_ durations: [Int64]) -> [TopEnd] { durations.map { TopEnd(.completed, start: 0, end: $0) } }
        #expect(ends([]).median == nil)
        #expect(ends([5]).median == 5)
        #expect(ends([9, 1, 5]).median == 5)
        #expect(ends([4, 3, 2, 1]).median == 2)
        #expect([TopEnd(.cancelled, start: nil, end: 5)].median == nil)
    }

    @Test("has a bar for each end: its height is the duration, and a failure has a shape of its own")
    func bars() {
        let ends = [
            TopEnd(.completed, start: 0, end: 0), TopEnd(.completed, start: 0, end: 50),
            TopEnd(.completed, start: 0, end: 100), TopEnd(.failed, start: 0, end: 10),
            TopEnd(.timedOut, start: 0, end: 10), TopEnd(.cancelled, start: nil, end: 10),
            TopEnd(.interrupted, start: 0, end: 10),
        ]
        #expect(String(TopBars.cells(ends).map(\.character)) == "▁▄█✕◷⊘↯")
        #expect(String(TopBars.cells([TopEnd(.completed, start: 3, end: 3)]).map(\.character)) == "▁")
    }

    @Test(
        "has figures of few cells",
        arguments: [
            (0, "<1ms"), (350, "350ms"), (2500, "2.5s"), (42_900, "42s"), (190_000, "3m10s"), (7_500_000, "2h05m"),
            (356_400_000, "4d3h"),
        ] as [(Int64, String)])
    func durations(milliseconds: Int64, text: String) {
        #expect(TopFigures.duration(milliseconds) == text)
    }

    @Test("has counts, bytes, shares, and times of few cells")
    func figures() {
        #expect([0, 9999, 12_345, 3_400_000].map(TopFigures.count) == ["0", "9999", "12k", "3M"])
        #expect([25_500_000, 3 << 30].map(TopFigures.bytes) == ["24.3 MiB", "3.0 GiB"])
        #expect([0, 0.021, 0.0996, 1.5].map(TopFigures.share) == ["0.0%", "2.1%", "10%", "150%"])
        #expect(TopFigures.clock(ExampleTop.now, offset: 3600) == "13:00:00")
        #expect([-5, 999, 5200, 191_000].map { TopFigures.until($0, from: 0) } == ["now", "now", "5s", "3m11s"])
    }

    @Test("keeps the known ends of an action that are not on the screen, and adds those of the history")
    func ends() {
        var state = TopState()
        state.take(history: [
            ["action": "backup", "state": "completed", "startedAt": .null, "endedAt": "2026-11-26T00:00:00.000Z"],
            ["action": "backup", "state": "executing", "startedAt": .null, "endedAt": .null],
            ["action": "mail", "state": "failed", "startedAt": .null, "endedAt": "2026-11-26T00:00:01.000Z"],
        ])
        state.take(ExampleTop.snapshot())
        // There are 20 newer ones.
        #expect(state.items[0].ends?.count == 20)
        #expect(state.items[0].ends?.first?.state == .completed)
        #expect(state.items[2].ends?.map(\.state) == [.failed])
        let unseen = TopItem(action: ["action": "mail", "inFlight": 0, "enabled": true])
        state.take(TopSnapshot(time: ExampleTop.now + 250, items: [unseen]))
        #expect(state.items[0].ends?.map(\.state) == [.failed])
    }

    @Test("the load is that of the last second, and begins anew with another daemon")
    func load() throws {
        func daemon(_ processor: Int, startedAt: String = "2026-11-26T11:00:00.000Z") -> TopDaemon {
            TopDaemon(["startedAt": .string(startedAt), "processorMilliseconds": JSONValue(processor)])
        }
        var load = TopLoad()
        load.add(daemon(360_000), at: ExampleTop.now)
        #expect(try abs(#require(load.share) - 0.1) < 0.001)
        for step in 1...8 { load.add(daemon(360_000 + step * 125), at: ExampleTop.now + Int64(step) * 250) }
        #expect(try abs(#require(load.share) - 0.5) < 0.001)
        load.add(daemon(10, startedAt: "2026-11-26T12:00:02.000Z"), at: ExampleTop.now + 3000)
        #expect(try abs(#require(load.share) - 0.01) < 0.001)
    }

    @Test("shows that it is switched off, and why, while its last execution goes on")
    func finishing() {
        let reason: JSONValue = ["cause": "manual", "reason": "maintenance"]
        let item = TopItem(action: ["action": "a", "inFlight": 1, "enabled": false, "reason": reason])
        #expect(TopLevel(item.level).brief == "● disabled: maintenance")
        #expect(TopLevel(item.level).full == "● executing; disabled: maintenance")
        #expect(item.isSwitchedOff)
        // An action with overlap = "reject" takes no input while it is executing.
        let busy = TopItem(action: ["action": "a", "inFlight": 1, "enabled": false, "reason": ["cause": "executing"]])
        #expect(TopLevel(busy.level).full == "● executing")
    }

    @Test("a line is edited at its cursor")
    func editing() {
        var line = LineEditor("ab")
        for key in [Key.left, .character("x"), .home, .character("日"), .end, .backspace] { _ = line.press(key) }
        #expect(line.text == "日ax")
        #expect(line.shown(3).text == "ax")
        #expect(line.shown(80).cursor == 4)
        _ = line.press(.control("u"))
        #expect(line.text.isEmpty)
    }

    @Test("words are quoted as a shell needs it")
    func quoting() {
        #expect(ShellWord.command(["a", "b c", "it's", "", "x=1", "日"]) == #"rxctl a 'b c' 'it'\''s' '' x=1 日"#)
    }
}
