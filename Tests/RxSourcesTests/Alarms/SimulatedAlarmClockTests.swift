import RxTime
import Synchronization
import Testing

@testable import RxSources

@Suite("A simulated clock")
struct SimulatedAlarmClockTests {
    private let clock = SimulatedAlarmClock(at: Instant(seconds: 1000))
    private let calls = Calls()

    private final class Calls: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ text: String) { list.withLock { $0.append(text) } }
    }

    private func schedule(_ seconds: Int64) -> Alarm {
        clock.schedule(at: Instant(seconds: seconds), on: clock.queue) { [clock, calls] in
            calls.add("\(seconds) at \(clock.now.microseconds / 1_000_000)")
        }
    }

    @Test("calls alarms in the order of their instants, each when the clock shows it")
    func order() {
        for seconds in [1030, 1010, 1020, 990] as [Int64] { _ = schedule(seconds) }
        #expect(calls.all.isEmpty)
        clock.advance(to: Instant(seconds: 1025))
        #expect(calls.all == ["990 at 1000", "1010 at 1010", "1020 at 1020"])
        #expect(clock.pending == 1)
        #expect(clock.elapsed == .seconds(25))
    }

    @Test("does not call what was canceled")
    func cancel() {
        clock.cancel(schedule(1010))
        clock.advance(by: .seconds(60))
        #expect(calls.all.isEmpty)
    }

    @Test("calls an alarm that another one has set for a time before the end")
    func nested() {
        clock.schedule(at: Instant(seconds: 1010), on: clock.queue) { _ = schedule(1020) }
        clock.advance(to: Instant(seconds: 1030))
        #expect(calls.all == ["1020 at 1020"])
    }

    @Test("reports that it was set before it calls what is due for that reason")
    func set() {
        _ = clock.observeChanges(on: clock.queue) { [calls] in calls.add("set") }
        _ = schedule(1010)
        clock.set(to: Instant(seconds: 5000))
        #expect(calls.all == ["set", "1010 at 5000"])
        #expect(clock.elapsed == .zero)
    }

    @Test("set back, it calls what it would have called at the old time when it shows that time")
    func setBack() {
        _ = schedule(1010)
        clock.set(to: Instant(seconds: 500))
        clock.advance(by: .seconds(20))
        #expect(calls.all.isEmpty)
        clock.advance(to: Instant(seconds: 1010))
        #expect(calls.all == ["1010 at 1010"])
    }

    @Test("calls everything late after a suspension, which it reports, and after a stall, which it does not")
    func late() {
        let observer = clock.observeChanges(on: clock.queue) { [calls] in calls.add("change") }
        _ = schedule(1010)
        _ = schedule(1100)
        clock.suspend(for: .seconds(50))
        clock.stall(for: .seconds(100))
        #expect(calls.all == ["change", "1010 at 1050", "1100 at 1150"])
        #expect(clock.elapsed == .seconds(150))
        clock.remove(observer)
        clock.suspend(for: .seconds(1))
        #expect(calls.all.count == 3)
    }
}
