import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Systemd

@Suite("Watchdog", .ownThreads)
struct WatchdogTests {
    /// What a party was asked to answer, kept until the test answers for it.
    final class Part: Sendable {
        private let answers = Mutex<[@Sendable () -> Void]>([])

        var timesAsked: Int { answers.withLock { $0.count } }

        func answer(_ index: Int? = nil) {
            let answer = answers.withLock { $0[index ?? $0.count - 1] }
            answer()
        }

        func party(_ name: String) -> Watchdog.Party {
            Watchdog.Party(name) { answer in self.answers.withLock { $0.append(answer) } }
        }
    }

    final class Log: Sendable {
        private let entries = Mutex<[String]>([])
        var all: [String] { entries.withLock { $0 } }
        func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    }

    let scheduler = Part()
    let loop = Part()
    let log = Log()

    func makeWatchdog() -> Watchdog {
        Watchdog(
            interval: .seconds(3600), parties: [scheduler.party("scheduler"), loop.party("loop")],
            feed: { [log] in log.add("feed") }, onStall: { [log] in log.add("stall \($0)") })
    }

    @Test("feeds when the last party has answered, and not before")
    func feedsAfterAll() {
        let watchdog = makeWatchdog()
        watchdog.beginRound()
        #expect(loop.timesAsked == 0)
        scheduler.answer()
        #expect(loop.timesAsked == 1)
        #expect(log.all == [])
        loop.answer()
        #expect(log.all == ["feed"])
    }

    @Test("a party that does not answer is named, is not asked again, and stops the feeding")
    func stall() {
        let watchdog = makeWatchdog()
        watchdog.beginRound()
        scheduler.answer()
        watchdog.beginRound()
        watchdog.beginRound()
        #expect(log.all == ["stall loop", "stall loop"])
        #expect(scheduler.timesAsked == 1)
        #expect(loop.timesAsked == 1)
    }

    @Test("a late answer is progress: it feeds, and rounds go on")
    func lateAnswer() {
        let watchdog = makeWatchdog()
        watchdog.beginRound()
        watchdog.beginRound()
        scheduler.answer()
        loop.answer()
        watchdog.beginRound()
        scheduler.answer()
        loop.answer()
        #expect(log.all == ["stall scheduler", "feed", "feed"])
    }

    @Test("an answer given twice counts once")
    func answeredTwice() {
        let watchdog = makeWatchdog()
        watchdog.beginRound()
        scheduler.answer()
        scheduler.answer()
        #expect(loop.timesAsked == 1)
        loop.answer()
        loop.answer()
        #expect(log.all == ["feed"])
    }

    @Test("an answer to a round gone by does not stand in for the present one")
    func answerFromThePast() {
        let watchdog = makeWatchdog()
        watchdog.beginRound()
        scheduler.answer()
        loop.answer()
        watchdog.beginRound()
        scheduler.answer(0)
        loop.answer(0)
        #expect(loop.timesAsked == 1)
        #expect(log.all == ["feed"])
    }

    @Test("with nobody to ask it feeds each round")
    func noParties() {
        let watchdog = Watchdog(interval: .seconds(3600), parties: [], feed: { [log] in log.add("feed") })
        watchdog.beginRound()
        watchdog.beginRound()
        #expect(log.all == ["feed", "feed"])
    }

    @Test("once started it feeds at once and again")
    func timer() async throws {
        let watchdog = Watchdog(
            interval: .milliseconds(30), parties: [.init("prompt") { $0() }], feed: { [log] in log.add("feed") })
        watchdog.start()
        let deadline = ContinuousClock.now + .seconds(60)
        while log.all.count < 3, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(2)) }
        #expect(log.all.count >= 3)
        withExtendedLifetime(watchdog) {}
    }

    @Test("a watchdog that never started can be let go")
    func neverStarted() {
        weak var watchdog: Watchdog?
        do {
            let short = makeWatchdog()
            watchdog = short
        }
        #expect(watchdog == nil)
        #expect(log.all == [])
    }

    @Test("the interval comes from WATCHDOG_USEC, which is removed")
    func interval() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "2000000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            precondition(Watchdog.inheritInterval() == .seconds(2))
            precondition(getenv("WATCHDOG_USEC") == nil && getenv("WATCHDOG_PID") == nil)
            precondition(Watchdog.inheritInterval() == nil)
        }
    }

    @Test("a watchdog meant for another process is not ours")
    func intervalOfAnother() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "2000000", 1)
            setenv("WATCHDOG_PID", "1", 1)
            precondition(Watchdog.inheritInterval() == nil)
            precondition(getenv("WATCHDOG_USEC") == nil && getenv("WATCHDOG_PID") == nil)
        }
    }
}
