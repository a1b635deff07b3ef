import RxJSON
import RxPictures

/// Times of the kind that users look at.
enum ExampleMarbles {
    /// 2026-03-28T13:02:00Z
    static let start: Int64 = 1_774_702_920_000

    private static func json(_ text: String) -> RawJSON { RawJSON(unchecked: Array(text.utf8)) }

    private static func event(
        _ offset: Int64, _ lane: String, _ kind: MarbleEvent.Kind, _ value: String? = nil, in execution: String? = nil,
        error: String? = nil
    ) -> MarbleEvent {
        MarbleEvent(
            time: start + offset, lane: lane, kind: kind, execution: execution, value: value.map(json), error: error)
    }

    /// Saves that are debounced and built, two hours of silence, a build that fails, and a refusal.
    static let saves = Marbles(
        title: "saves",
        events: [
            event(0, "path", .element, #"{"path":"a.md","event":"written"}"#),
            event(100, "path", .element, #"{"path":"a.md","event":"moved"}"#),
            event(250, "path", .element, #"{"path":"b.md","event":"written"}"#),
            event(550, "saves", .element, #"{"path":"b.md","event":"written"}"#),
            event(551, "action site", .firing(.started), in: "1"),
            event(552, "action site", .executionStarted, in: "1"),
            event(1800, "action site", .element, #""47 pages""#, in: "1"),
            event(2400, "action site", .executionEnded, in: "1"),
            event(7_500_000, "path", .element, #"{"path":"c.md","event":"written"}"#),
            event(7_500_300, "saves", .element, #"{"path":"c.md","event":"written"}"#),
            event(7_500_301, "action site", .firing(.started), in: "2"),
            event(7_500_302, "action site", .executionStarted, in: "2"),
            event(7_501_000, "path", .lag(12)),
            event(7_501_200, "saves", .error, error: "programFailed"),
            event(7_502_000, "saves", .element, #"{"path":"d.md","event":"written"}"#),
            event(7_502_001, "action site", .firing(.refused), error: "notEnabled"),
            event(7_503_500, "action site", .executionEnded, in: "2", error: "failed"),
            event(7_504_000, "saves", .completed),
        ], lanes: ["path", "saves", "action site"], offset: { _ in 3600 })

    /// Executions beside each other, a queue, a band of 10,000 elements, and elements in other scripts.
    static let dense: Marbles = {
        var events: [MarbleEvent] = []
        for number in 0..<10_000 {
            events.append(event(Int64(number) * 3, "lines", .element, "{\"line\":\(number % 977)}"))
        }
        for run in 0..<9 {
            let begin = Int64(run) * 2500 + 1000
            let firing: MarbleEvent.Firing = [.started, .queued, .joined, .reduced, .failed][run % 5]
            events.append(event(begin, "import 取り込み", .firing(firing), in: "\(run)"))
            events.append(event(begin, "import 取り込み", .executionStarted, in: "\(run)"))
            events.append(event(begin + 1500, "import 取り込み", .element, "\"東京 \(run)\"", in: "\(run)"))
            events.append(
                event(
                    begin + 6000, "import 取り込み", .executionEnded, in: "\(run)", error: run == 4 ? "timedOut" : nil))
        }
        events.append(event(31_000, "import 取り込み", .element, "\"last\""))
        return Marbles(title: "lines", events: events, to: start + 40_000)
    }()

    /// Nothing at all, in a window.
    static let empty = Marbles(title: "quiet", events: [], lanes: ["quiet"], from: start, to: start + 600_000)

    /// One element, some minutes ago, and an execution that goes on.
    static let lonely = Marbles(
        title: "lonely",
        events: [
            event(-50_000, "backup", .executionStarted, in: "7"),
            event(321_000, "backup", .element, "12", in: "7"),
        ], from: start, to: start + 600_000)

    static let all: [(name: String, marbles: Marbles)] = [
        ("saves", saves), ("dense", dense), ("empty", empty), ("lonely", lonely),
    ]
}
