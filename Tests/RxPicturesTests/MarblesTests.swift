import RxJSON
import Testing

@testable import RxPictures

@Suite struct MarblesTests {
    private func element(_ time: Int64, _ lane: String = "a", _ value: String = "1") -> MarbleEvent {
        MarbleEvent(time: time, lane: lane, kind: .element, value: RawJSON(unchecked: Array(value.utf8)))
    }

    /// The line of a lane, without its name.
    private func line(_ marbles: Marbles, _ name: String, width: Int = 80) -> String {
        let line = marbles.text(width: width).split(separator: "\n").first { $0.hasPrefix(name) }
        return String(line?.dropFirst(name.count).drop { $0 == " " } ?? "")
    }

    @Test func equalValuesHaveTheSameLetterInEveryLane() {
        let marbles = Marbles(
            title: "t",
            events: [element(0, "a", "1"), element(500, "a", "2"), element(700, "b", "1"), element(1000, "b", "3")])
        #expect(line(marbles, "a").filter { $0.isLetter } == "ab")
        #expect(line(marbles, "b").filter { $0.isLetter } == "ac")
    }

    @Test func aLongSilenceIsCollapsedAndShownWithItsDuration() {
        let marbles = Marbles(title: "t", events: [0, 900, 7_200_900, 7_201_800].map { element($0) })
        #expect(line(marbles, "a").contains("//2h//"))
    }

    @Test func regularEventsAreNotCollapsed() {
        let marbles = Marbles(title: "t", events: (0..<10).map { element($0 * 3_600_000) })
        #expect(!marbles.text().contains("//"))
    }

    @Test func eventsAtOneMomentAreMergedAndNoneIsLost() {
        let marbles = Marbles(
            title: "t", events: (0..<7).map { element(5000, "a", "\($0)") } + [element(0), element(9000)])
        #expect(line(marbles, "a").contains("[7]"))
    }

    @Test func lostEventsAreATornStripWithTheirCount() {
        let marbles = Marbles(
            title: "t", events: [element(0), MarbleEvent(time: 500, lane: "a", kind: .lag(1234)), element(1000)])
        #expect(line(marbles, "a").contains("≈1.2k≈"))
        #expect(marbles.svg().contains("1.2k lost"))
    }

    @Test func executionsAtTheSameTimeHaveLinesOfTheirOwn() {
        func event(_ time: Int64, _ kind: MarbleEvent.Kind, _ id: String) -> MarbleEvent {
            MarbleEvent(time: time, lane: "a", kind: kind, execution: id)
        }
        let lane = Marbles(
            title: "t",
            events: [
                event(0, .executionStarted, "1"), event(100, .executionStarted, "2"), event(200, .executionEnded, "1"),
                event(300, .executionStarted, "3"), event(400, .executionEnded, "3"), event(500, .executionEnded, "2"),
            ]
        ).lanes[0]
        #expect(lane.forks.map { $0.bars.map(\.start) } == [[0, 300], [100]])
    }

    @Test func anExecutionThatBeganBeforeTheWindowHasNoBeginning() {
        let lane = Marbles(
            title: "t",
            events: [
                MarbleEvent(time: 0, lane: "a", kind: .executionStarted, execution: "1"),
                MarbleEvent(time: 900, lane: "a", kind: .element, execution: "1"),
            ], from: 500, to: 1000
        ).lanes[0]
        #expect(lane.forks.map(\.bars) == [[Bar(start: nil, end: nil)]])
    }

    @Test func tooManyExecutionsAreCounted() {
        let events = (0..<10).map { MarbleEvent(time: $0, lane: "a", kind: .executionStarted, execution: "\($0)") }
        #expect(Marbles(title: "t", events: events).lanes[0].hidden == 10 - Marbles.mostForks)
    }

    @Test func aPictureOfManyEventsIsNoLargerThanOneOfFew() {
        let events = (0..<100_000).map { number in
            MarbleEvent(
                time: Int64(number) * 7, lane: "\(number % 100)", kind: .element, execution: "\(number / 50)",
                value: RawJSON(unchecked: Array("\(number)".utf8)))
        }
        let marbles = Marbles(title: "many", events: events)
        #expect(marbles.svg().utf8.count < 300_000)
        #expect(marbles.text().split(separator: "\n").count < Marbles.mostLanes * (Marbles.mostForks + 2) + 60)
        #expect(marbles.text().contains("(60 lanes left out)"))
    }

    @Test func aRefusalIsExplainedInTheLegend() {
        let marbles = Marbles(
            title: "t", events: [MarbleEvent(time: 0, lane: "a", kind: .firing(.refused), error: "queueFull")])
        #expect(marbles.text().contains("!  00:00:00.000  refused queueFull"))
    }

    @Test func aFiringShowsHowItsExecutionEnded() {
        let marbles = Marbles(
            title: "t",
            events: [
                MarbleEvent(time: 0, lane: "a", kind: .firing(.started), execution: "1"),
                MarbleEvent(time: 0, lane: "a", kind: .executionStarted, execution: "1"),
                MarbleEvent(time: 9, lane: "a", kind: .executionEnded, execution: "1", error: "timedOut"),
            ])
        #expect(marbles.text().contains("started → timedOut"))
    }

    @Test func localTimesFollowTheOffset() {
        #expect(LocalTime(1_774_702_920_250, offset: 7200).fineClock == "15:02:00.250")
        #expect(LocalTime(1_774_702_920_250, offset: 7200).date == "2026-03-28")
        #expect(LocalTime(-1, offset: 0).date == "1969-12-31")
        #expect(LocalTime(1_709_164_800_000, offset: -34_200).zone == "UTC-09:30")
        #expect(LocalTime(1_709_164_800_000, offset: 0).date == "2024-02-29")
    }
}
