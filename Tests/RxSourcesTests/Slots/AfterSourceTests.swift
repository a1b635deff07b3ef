import RxJSON
import RxStreams
import RxTime
import Testing

@testable import RxSources

@Suite("A source of times after an execution")
struct AfterSourceTests {
    private let clock: SimulatedAlarmClock
    private let source: AfterSource
    private let receiver = RecordingReceiver()

    init() throws {
        clock = SimulatedAlarmClock(at: try at("2026-01-01T00:00:00Z"))
        source = AfterSource(.seconds(900), zone: .named(.utc), clock: clock, queue: clock.queue)
        source.start(after: nil, into: receiver)
    }

    private var times: [String] { receiver.elements.map { String($0["scheduled"].dropFirst(11).prefix(8)) } }

    @Test("emits that long after the start, and that long after each end of an execution")
    func afterEach() throws {
        #expect(source.upcoming == (try at("2026-01-01T00:15:00Z")))
        clock.advance(by: .seconds(3600))
        #expect(times == ["00:15:00"])
        #expect(source.upcoming == nil)
        source.settled(through: nil)
        clock.advance(by: .seconds(3600))
        #expect(times == ["00:15:00", "01:15:00"])
        #expect(
            receiver.elements[1].value.text
                == #"{"scheduled":"2026-01-01T01:15:00.000Z","local":"2026-01-01T01:15:00+00:00","#
                + #""fired":"2026-01-01T01:15:00.000Z","missed":0}"#)
        #expect(receiver.elements[1].position == nil)
    }

    @Test("has an element of now, which does not begin the time anew")
    func elementOfNow() throws {
        clock.advance(by: .seconds(600))
        #expect(
            source.elementOfNow.text
                == #"{"scheduled":"2026-01-01T00:10:00.000Z","local":"2026-01-01T00:10:00+00:00","#
                + #""fired":"2026-01-01T00:10:00.000Z","missed":0}"#)
        #expect(source.upcoming == (try at("2026-01-01T00:15:00Z")))
    }

    @Test("waits for the time that passes, however the clock is set")
    func clockSet() throws {
        clock.advance(by: .seconds(600))
        clock.set(to: try at("2026-06-01T00:00:00Z"))
        #expect(times.isEmpty)
        clock.advance(by: .seconds(299))
        #expect(times.isEmpty)
        clock.set(to: try at("2025-06-01T00:00:00Z"))
        clock.advance(by: .seconds(1))
        #expect(times == ["00:00:01"])
    }

    @Test("counts suspended time, and emits once after it")
    func suspended() {
        clock.suspend(for: .seconds(86_400))
        #expect(times == ["00:15:00"])
    }

    @Test("emits nothing once stopped")
    func stop() {
        source.stop()
        source.settled(through: nil)
        clock.advance(by: .seconds(3600))
        #expect(times.isEmpty)
        #expect(clock.pending == 0)
    }
}
