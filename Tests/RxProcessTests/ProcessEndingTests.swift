import Glibc
import Testing

@testable import RxProcess

/// The rules by which a session ends, without a process or a clock.
struct ProcessEndingTests {
    /// A story of events, each with its time in milliseconds and the actions that it must return.
    struct Story: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let steps: [Step]

        init(_ name: String, _ steps: Step...) {
            self.init(name, steps)
        }

        init(_ name: String, _ steps: [Step]) {
            testDescription = name
            self.steps = steps
        }
    }

    struct Step: Sendable {
        let time: Duration
        let event: ProcessEndingEvent
        let actions: [ProcessEndingAction]

        init(_ milliseconds: Int, _ event: ProcessEndingEvent, _ actions: ProcessEndingAction...) {
            time = .milliseconds(milliseconds)
            self.event = event
            self.actions = actions
        }
    }

    @Test(arguments: normalEnds + lingering + requests + requestsRepeated + survivors + rests + unknowns + readers)
    func story(_ story: Story) {
        var ending = ProcessEnding(grace: .seconds(3))
        for (index, step) in story.steps.enumerated() {
            #expect(ending.handle(step.event, at: step.time) == step.actions, "step \(index): \(step.event)")
        }
    }

    @Test("members of a process with a short grace get no more than that between SIGTERM and SIGKILL")
    func shortGrace() {
        var ending = ProcessEnding(grace: .milliseconds(50))
        _ = ending.handle(.started(7), at: .zero)
        #expect(ending.handle(.leaderEnded, at: .zero) == [.startTimer(.milliseconds(50))])
        #expect(ending.handle(.timerFired, at: .zero) == [.scan])
        #expect(
            ending.handle(.scanned(.alive), at: .zero) == [
                .note(
                    "the process has ended, but others of its session hold its output open after 50ms: "
                        + "sending SIGTERM"),
                .signal(SIGTERM), .startTimer(.milliseconds(50)),
            ])
    }

    @Test("without a grace, no timer runs while a reader holds the output back")
    func heldWithoutGrace() {
        var ending = ProcessEnding(grace: .zero)
        _ = ending.handle(.started(7), at: .zero)
        _ = ending.handle(.held(true), at: .zero)
        #expect(ending.handle(.leaderEnded, at: .zero) == [.startTimer(.zero)])
        #expect(ending.handle(.timerFired, at: .zero) == [])
        #expect(ending.handle(.held(false), at: .seconds(1)) == [.startTimer(.zero), .hold(false)])
        #expect(ending.handle(.timerFired, at: .seconds(1)) == [.scan])
    }

    @Test("the interval between scans grows to its limit, and does not pass the deadline")
    func scanIntervals() {
        var ending = ProcessEnding(grace: .seconds(3))
        _ = ending.handle(.started(7), at: .zero)
        _ = ending.handle(.endRequested(grace: .milliseconds(600)), at: .zero)
        _ = ending.handle(.outputClosed, at: .zero)
        _ = ending.handle(.leaderEnded, at: .zero)
        var now = Duration.zero
        var pauses: [Duration] = []
        while case .startTimer(let pause)? = ending.handle(.scanned(.alive), at: now).first {
            pauses.append(pause)
            now += pause
            #expect(ending.handle(.timerFired, at: now) == [.scan])
        }
        #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 200, 146].map { .milliseconds($0) })
    }
}

private typealias Story = ProcessEndingTests.Story
private typealias Step = ProcessEndingTests.Step

private let normalEnds = [
    Story(
        "the output is closed before the leader ends",
        Step(0, .started(7)),
        Step(10, .outputClosed),
        Step(20, .leaderEnded, .stopTimer, .closeOutput, .reap)),
    Story(
        "the leader ends before its output is closed",
        Step(0, .started(7)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(20, .outputClosed, .stopTimer, .closeOutput, .reap)),
    Story(
        "after the end, nothing happens any more",
        Step(0, .started(7)),
        Step(10, .outputClosed),
        Step(20, .leaderEnded, .stopTimer, .closeOutput, .reap),
        Step(30, .endRequested(grace: .zero)),
        Step(30, .held(true)),
        Step(30, .timerFired)),
    Story(
        "a process that cannot be watched is killed",
        Step(0, .watchFailed, .signal(SIGKILL), .stopTimer, .closeOutput, .scan),
        Step(5, .scanned(.empty), .reap)),
    Story(
        "a process that cannot be watched is killed even if it was to end gently",
        Step(0, .endRequested(grace: .seconds(9))),
        Step(1, .watchFailed, .signal(SIGKILL), .stopTimer, .closeOutput, .scan)),
]

private let lingering = [
    Story(
        "members that hold the output for longer than the grace get SIGTERM, then SIGKILL",
        Step(0, .started(7)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(3010, .timerFired, .scan),
        Step(
            3015, .scanned(.alive),
            .note("the process has ended, but others of its session hold its output open after 3s: sending SIGTERM"),
            .signal(SIGTERM), .startTimer(.seconds(1))),
        Step(
            4015, .timerFired,
            .note("SIGKILL to what is left of the session of process 7, and its output is closed"),
            .signal(SIGKILL), .stopTimer, .closeOutput, .scan),
        Step(4020, .scanned(.empty), .reap)),
    Story(
        "members that close the output after SIGTERM keep the rest of their time",
        Step(0, .started(7)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(3010, .timerFired, .scan),
        Step(
            3015, .scanned(.alive),
            .note("the process has ended, but others of its session hold its output open after 3s: sending SIGTERM"),
            .signal(SIGTERM), .startTimer(.seconds(1))),
        Step(3500, .outputClosed, .stopTimer, .closeOutput, .scan),
        Step(3505, .scanned(.empty), .reap)),
    Story(
        "the output is closed on a process that has left the session",
        Step(0, .started(7)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(3010, .timerFired, .scan),
        Step(
            3015, .scanned(.empty),
            .note(
                "the process has ended; closing its output, which a process outside its session holds open"),
            .stopTimer, .closeOutput, .reap)),
    Story(
        "the output is closed while the session is being scanned",
        Step(0, .started(7)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(3010, .timerFired, .scan),
        Step(3012, .outputClosed, .stopTimer, .closeOutput, .reap),
        Step(3015, .scanned(.alive))),
    Story(
        "a result from before SIGTERM does not count after it",
        Step(0, .started(7)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(3010, .timerFired, .scan),
        Step(
            3011, .endRequested(grace: .milliseconds(1)),
            .note("SIGTERM to process 7 and its session, which have 1ms to end"),
            .signal(SIGTERM), .startTimer(.milliseconds(1))),
        Step(3013, .outputClosed, .stopTimer, .closeOutput, .scan),
        Step(3015, .scanned(.alive)),
        Step(3016, .scanned(.empty), .reap)),
]

private let requests = [
    Story(
        "a process that ends on SIGTERM",
        Step(0, .started(7)),
        Step(
            10, .endRequested(grace: .seconds(5)),
            .note("SIGTERM to process 7 and its session, which have 5s to end"),
            .signal(SIGTERM), .startTimer(.seconds(5))),
        Step(20, .leaderEnded),
        Step(21, .outputClosed, .stopTimer, .closeOutput, .scan),
        Step(25, .scanned(.empty), .reap)),
    Story(
        "a process that ignores SIGTERM gets SIGKILL",
        Step(0, .started(7)),
        Step(
            10, .endRequested(grace: .seconds(5)),
            .note("SIGTERM to process 7 and its session, which have 5s to end"),
            .signal(SIGTERM), .startTimer(.seconds(5))),
        Step(
            5010, .timerFired,
            .note("SIGKILL to process 7 and its session"), .signal(SIGKILL), .startTimer(.seconds(5))),
        Step(5020, .leaderEnded, .stopTimer, .closeOutput, .scan),
        Step(5025, .scanned(.empty), .reap)),
    Story(
        "without a grace, SIGKILL is the first signal",
        Step(0, .started(7)),
        Step(
            10, .endRequested(grace: .zero),
            .note("SIGKILL to process 7 and its session"), .signal(SIGKILL), .startTimer(.seconds(5)))),
    Story(
        "a request before the start takes effect with the start",
        Step(0, .endRequested(grace: .seconds(5))),
        Step(
            10, .started(7),
            .note("SIGTERM to process 7 and its session, which have 5s to end"),
            .signal(SIGTERM), .startTimer(.seconds(5)))),
    Story(
        "of several requests before the start, the shortest time counts",
        Step(0, .endRequested(grace: .seconds(2))),
        Step(5, .endRequested(grace: .seconds(5))),
        Step(
            10, .started(7),
            .note("SIGTERM to process 7 and its session, which have 2s to end"),
            .signal(SIGTERM), .startTimer(.seconds(2)))),
    Story(
        "a request while members hold the output after the leader's end",
        Step(0, .started(7)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(
            20, .endRequested(grace: .milliseconds(500)),
            .note("SIGTERM to process 7 and its session, which have 500ms to end"),
            .signal(SIGTERM), .startTimer(.milliseconds(500))),
        Step(
            520, .timerFired,
            .note("SIGKILL to what is left of the session of process 7, and its output is closed"),
            .signal(SIGKILL), .stopTimer, .closeOutput, .scan)),
    Story(
        "a request without a grace while members hold the output after the leader's end",
        Step(0, .started(7)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(
            20, .endRequested(grace: .zero),
            .note("SIGKILL to what is left of the session of process 7, and its output is closed"),
            .signal(SIGKILL), .stopTimer, .closeOutput, .scan)),
]

/// SIGTERM at 0 with a grace of 5 s, then other requests.
private let requestsRepeated = [
    terminated(
        "a second request shortens the time", Step(100, .endRequested(grace: .seconds(1)), .startTimer(.seconds(1)))),
    terminated("a second request does not lengthen the time", Step(100, .endRequested(grace: .seconds(5)))),
    terminated(
        "a third request is compared with the second",
        Step(100, .endRequested(grace: .seconds(1)), .startTimer(.seconds(1))),
        Step(200, .endRequested(grace: .seconds(1))),
        Step(200, .endRequested(grace: .milliseconds(899)), .startTimer(.milliseconds(899)))),
    terminated(
        "a second request shortens the time of members that hold the output",
        Step(50, .leaderEnded),
        Step(100, .endRequested(grace: .seconds(1)), .startTimer(.seconds(1)))),
    terminated(
        "after SIGKILL, a request changes nothing",
        Step(
            5000, .timerFired,
            .note("SIGKILL to process 7 and its session"), .signal(SIGKILL), .startTimer(.seconds(5))),
        Step(5100, .endRequested(grace: .zero))),
    terminated(
        "a fault while the process ends changes nothing",
        Step(100, .endRequested(grace: .seconds(30))),
        Step(200, .leaderEnded),
        Step(300, .outputClosed, .stopTimer, .closeOutput, .scan),
        Step(300, .endRequested(grace: .zero)),
        Step(310, .scanned(.empty), .reap)),
]

private let survivors = [
    Story(
        "a process that survives SIGKILL is left behind",
        Step(0, .started(7)),
        Step(
            10, .endRequested(grace: .zero),
            .note("SIGKILL to process 7 and its session"), .signal(SIGKILL), .startTimer(.seconds(5))),
        Step(5010, .timerFired, .leaveBehind, .scan),
        Step(5020, .scanned(.alive), .startTimer(.milliseconds(2))),
        Step(5030, .leaderEnded),
        Step(5030, .timerFired, .scan),
        Step(6020, .scanned(.alive), .reap)),
    Story(
        "a process whose output is closed and that survives SIGKILL is left behind too",
        Step(0, .started(7)),
        Step(5, .outputClosed),
        Step(
            10, .endRequested(grace: .zero),
            .note("SIGKILL to process 7 and its session"), .signal(SIGKILL), .startTimer(.seconds(5))),
        Step(5010, .timerFired, .leaveBehind, .scan)),
]

/// Members of the session that have closed the output and outlive the leader.
private let rests = [
    terminated(
        "members that end within the grace",
        Step(10, .outputClosed),
        Step(20, .leaderEnded, .stopTimer, .closeOutput, .scan),
        Step(30, .scanned(.alive), .startTimer(.milliseconds(2))),
        Step(32, .timerFired, .scan),
        Step(40, .scanned(.alive), .startTimer(.milliseconds(4))),
        Step(44, .timerFired, .scan),
        Step(50, .scanned(.empty), .reap)),
    terminated(
        "members that outlive the grace get SIGKILL",
        Step(10, .outputClosed),
        Step(20, .leaderEnded, .stopTimer, .closeOutput, .scan),
        Step(
            5000, .scanned(.alive),
            .note("SIGKILL to what is left of the session of process 7"), .signal(SIGKILL), .scan),
        Step(5010, .scanned(.empty), .reap)),
    terminated(
        "members that survive SIGKILL hold nothing up for longer than a second",
        Step(10, .outputClosed),
        Step(20, .leaderEnded, .stopTimer, .closeOutput, .scan),
        Step(
            5000, .scanned(.alive),
            .note("SIGKILL to what is left of the session of process 7"), .signal(SIGKILL), .scan),
        Step(5100, .scanned(.alive), .startTimer(.milliseconds(2))),
        Step(5102, .timerFired, .scan),
        Step(6099, .scanned(.alive), .startTimer(.milliseconds(1))),
        Step(6100, .timerFired, .scan),
        Step(6100, .scanned(.alive), .reap)),
]

/// Scans that fail because the table of processes cannot be read.
private let unknowns = [
    Story(
        "members that nobody can look for are ended like members that hold the output",
        Step(0, .started(7)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(3010, .timerFired, .scan),
        Step(
            3015, .scanned(.unknown(noDescriptor)),
            .note(
                "cannot read /proc: Too many open files (EMFILE); assuming that processes of the session are alive"),
            .note("the process has ended, but others of its session hold its output open after 3s: sending SIGTERM"),
            .signal(SIGTERM), .startTimer(.seconds(1)))),
    terminated(
        "members that nobody can look for have the whole grace, and the failure is noted once",
        Step(10, .outputClosed),
        Step(20, .leaderEnded, .stopTimer, .closeOutput, .scan),
        Step(
            30, .scanned(.unknown(noDescriptor)),
            .note(
                "cannot read /proc: Too many open files (EMFILE); assuming that processes of the session are alive"),
            .startTimer(.milliseconds(2))),
        Step(32, .timerFired, .scan),
        Step(40, .scanned(.unknown(noDescriptor)), .startTimer(.milliseconds(4))),
        Step(44, .timerFired, .scan),
        Step(50, .scanned(.empty), .reap)),
]

private let noDescriptor = ProcessTableError(path: "/proc", code: EMFILE)

private let readers = [
    Story(
        "members have another grace when a reader that held the output back continues",
        Step(0, .started(7)),
        Step(5, .held(true), .hold(true)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(3010, .timerFired),
        Step(4000, .held(false), .startTimer(.seconds(3)), .hold(false)),
        Step(7000, .timerFired, .scan)),
    Story(
        "a reader that continues within the grace does not lengthen it",
        Step(0, .started(7)),
        Step(5, .held(true), .hold(true)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(2000, .held(false), .hold(false)),
        Step(3010, .timerFired, .scan)),
    Story(
        "a request while a reader holds the output back after the leader's end",
        Step(0, .started(7)),
        Step(5, .held(true), .hold(true)),
        Step(10, .leaderEnded, .startTimer(.seconds(3))),
        Step(3010, .timerFired),
        Step(
            4000, .endRequested(grace: .seconds(5)),
            .note("SIGTERM to process 7 and its session, which have 5s to end"),
            .signal(SIGTERM), .startTimer(.seconds(5)), .hold(false))),
    Story(
        "a reader cannot hold up the end",
        Step(0, .started(7)),
        Step(5, .held(true), .hold(true)),
        Step(
            10, .endRequested(grace: .seconds(5)),
            .note("SIGTERM to process 7 and its session, which have 5s to end"),
            .signal(SIGTERM), .startTimer(.seconds(5)), .hold(false)),
        Step(20, .held(false)),
        Step(30, .held(true))),
    Story(
        "a reader cannot hold up SIGKILL",
        Step(0, .started(7)),
        Step(5, .held(true), .hold(true)),
        Step(
            10, .endRequested(grace: .zero),
            .note("SIGKILL to process 7 and its session"), .signal(SIGKILL), .startTimer(.seconds(5)), .hold(false))),
    Story(
        "a reader that holds twice holds once",
        Step(0, .started(7)),
        Step(5, .held(true), .hold(true)),
        Step(6, .held(true)),
        Step(7, .held(false), .hold(false)),
        Step(8, .held(false))),
    Story(
        "a fault in continued reading ends what is being ended",
        Step(0, .started(7)),
        Step(5, .held(true), .hold(true)),
        Step(
            10, .endRequested(grace: .seconds(5)),
            .note("SIGTERM to process 7 and its session, which have 5s to end"),
            .signal(SIGTERM), .startTimer(.seconds(5)), .hold(false)),
        Step(10, .endRequested(grace: .zero), .startTimer(.zero)),
        Step(
            10, .timerFired,
            .note("SIGKILL to process 7 and its session"), .signal(SIGKILL), .startTimer(.seconds(5)))),
]

private func terminated(_ name: String, _ steps: Step...) -> Story {
    Story(
        name,
        [
            Step(0, .started(7)),
            Step(
                0, .endRequested(grace: .seconds(5)),
                .note("SIGTERM to process 7 and its session, which have 5s to end"),
                .signal(SIGTERM), .startTimer(.seconds(5))),
        ] + steps)
}
