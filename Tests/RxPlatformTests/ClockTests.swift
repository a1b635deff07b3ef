import Glibc
import RxPlatform
import Testing

@Suite("Clocks")
struct ClockTests {
    private func seconds(_ clock: Int32) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec
    }

    @Test("the system's wall clock shows milliseconds since 1970")
    func wallClock() {
        let before = seconds(CLOCK_REALTIME)
        let time = Int(WallClock.system.milliseconds)
        #expect((before * 1000..<(seconds(CLOCK_REALTIME) + 1) * 1000).contains(time))
    }

    @Test("the system's monotonic clock is CLOCK_MONOTONIC and does not go back")
    func monotonicClock() {
        let before = seconds(CLOCK_MONOTONIC)
        let readings = (0..<1000).map { _ in MonotonicClock.system.now }
        #expect(zip(readings, readings.dropFirst()).allSatisfy { $0 <= $1 })
        #expect((.seconds(before)...(.seconds(seconds(CLOCK_MONOTONIC) + 1))).contains(readings[0]))
    }

    @Test("other clocks show what they are given")
    func others() {
        let platform = Platform(wallClock: WallClock { 42 }, monotonicClock: MonotonicClock { .seconds(7) })
        #expect(platform.wallClock.milliseconds == 42)
        #expect(platform.monotonicClock.now == .seconds(7))
    }
}
