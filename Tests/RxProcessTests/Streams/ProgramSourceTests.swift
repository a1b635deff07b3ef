import HostTestSupport
import Glibc
import Rx
import RxHost
import RxJSON
import RxPlatform
import RxRecords
import RxStreams
import TestSupport
import Testing

@testable import RxProcess

@Suite("Programs that are kept running", .ownThreads)
struct ProgramSourceTests {
    private let running = RunningPrograms()

    @Test("each line is an element; its standard error goes to the log, under the name of the stream")
    func lines() async {
        let receiver = Received()
        let source = program("echo one; echo two; echo oops >&2; exec sleep 1000", .lines, name: "program-lines")
        source.start(after: nil, into: receiver)
        #expect(await eventually { receiver.settleAll(source) && receiver.values == [#""one""#, #""two""#] })
        #expect(
            await eventually {
                Harness.notes.withLock { notes in
                    notes.contains { $0.action == "program-lines" && $0.text == "oops" && $0.source == .standardError }
                }
            })
        await end(source)
    }

    @Test("a line that is not JSON is an error, and the program goes on")
    func json() async {
        let receiver = Received()
        let source = program(#"echo '{"a" : 1}'; echo; echo '{'; echo '[2]'; exec sleep 1000"#, .json)
        source.start(after: nil, into: receiver)
        #expect(await eventually { receiver.settleAll(source) && receiver.values == [#"{"a":1}"#, "[2]"] })
        #expect(receiver.errors.count == 1)
        #expect(receiver.errors.first?.hasPrefix(#"a line of /bin/sh is not JSON: "#) == true)
        #expect(receiver.errors.first?.hasSuffix(#"("{")"#) == true)
        await end(source)
    }

    @Test("standard input is empty")
    func input() async {
        let receiver = Received()
        let source = program("cat; echo end; exec sleep 1000", .lines)
        source.start(after: nil, into: receiver)
        #expect(await eventually { receiver.settleAll(source) && receiver.values == [#""end""#] })
        await end(source)
    }

    @Test("a program that writes on waits while a batch is not settled, and loses nothing")
    func backpressure() async {
        let receiver = Received()
        let directory = TemporaryDirectory()
        // Far more than a pipe and a read hold; the file shows when all of it was written.
        let source = program("seq 1 100000; touch \(directory.path)/written; exec sleep 1000", .lines)
        source.start(after: nil, into: receiver)
        #expect(await eventually { !receiver.values.isEmpty })
        // As long as another program takes for all that it does.
        let other = Received()
        let probe = program("seq 1 20000; exec sleep 1000", .lines)
        probe.start(after: nil, into: other)
        #expect(await eventually { other.settleAll(probe) && other.values.count == 20_000 })
        probe.stop()
        #expect(directory.names().isEmpty)
        #expect(receiver.batches == 1)
        #expect(await eventually { receiver.settleAll(source) && receiver.values.count == 100_000 })
        #expect(receiver.values.last == #""100000""#)
        await end(source)
    }

    @Test("stop ends the whole session: SIGTERM, then SIGKILL after the grace")
    func stop() async {
        let receiver = Received()
        let script = "trap '' TERM; sleep 1000 & echo $!; echo $$; while :; do sleep 0.01; done"
        let source = program(script, .lines, grace: .milliseconds(100))
        source.start(after: nil, into: receiver)
        #expect(await eventually { receiver.settleAll(source) && receiver.values.count == 2 })
        await end(source)
        for text in receiver.values {
            let pid = RawJSON(unchecked: Array(text.utf8)).value().string.flatMap { pid_t($0) } ?? 0
            #expect(pid > 0)
            #expect(await eventually { !isAlive(pid) })
        }
        #expect(receiver.waiting.allSatisfy { $0 == nil })
    }

    private func program(
        _ script: String, _ output: ProgramSource.Output, name: String = "test", grace: Duration = .seconds(5)
    ) -> ProgramSource {
        let definition = ProcessDefinition(
            arguments: [.text("/bin/sh"), .text("-c"), .text(script)], grace: grace)
        return ProgramSource(name, definition, output: output, with: Harness.launcher, among: running, on: .system)
    }

    private func end(_ source: ProgramSource) async {
        let isEnded = Locked(false)
        source.stop()
        running.whenNoneRuns { isEnded.withLock { $0 = true } }
        #expect(await eventually { isEnded.withLock { $0 } })
    }
}

@Suite("When a program is started again")
struct ProgramRestartTests {
    private let running = RunningPrograms()

    private func source(of runs: Runs, at time: SteppedTime) -> ProgramSource {
        ProgramSource("s", program: "p", output: .lines, among: running, on: time.platform, work: runs.work)
    }

    @Test("it starts again after a second; the delay doubles up to a minute")
    func delays() {
        let time = SteppedTime()
        let runs = Runs()
        let receiver = Received()
        let source = source(of: runs, at: time)
        source.start(after: nil, into: receiver)
        time.settle()
        for (index, delay) in [1, 2, 4, 8, 16, 32, 60, 60].enumerated() {
            #expect(runs.count == index + 1)
            runs.end(with: WorkFailure(message: "the process exited with 3"))
            time.settle()
            let text = delay == 60 ? "1m" : "\(delay)s"
            #expect(receiver.waiting.last == "p: the process exited with 3; it starts again in \(text)")
            time.advance(by: .seconds(delay) - .milliseconds(1))
            #expect(runs.count == index + 1)
            time.advance(by: .milliseconds(1))
        }
        #expect(runs.count == 9)
    }

    @Test("after a run of a minute the delay is a second again")
    func longRun() {
        let time = SteppedTime()
        let runs = Runs()
        let receiver = Received()
        let source = source(of: runs, at: time)
        source.start(after: nil, into: receiver)
        time.settle()
        runs.end()
        time.settle()
        time.advance(by: .seconds(1))
        // A run that is too short.
        time.advance(by: .seconds(59))
        #expect(receiver.waiting == ["p: the process exited with 0; it starts again in 1s", nil])
        runs.end()
        time.settle()
        #expect(receiver.waiting.last == "p: the process exited with 0; it starts again in 2s")
        time.advance(by: .seconds(2))
        time.advance(by: .seconds(60))
        runs.end()
        time.settle()
        #expect(receiver.waiting.last == "p: the process exited with 0; it starts again in 1s")
    }

    @Test("lines of a program that has ended are emitted; a stopped source starts nothing")
    func ends() {
        let time = SteppedTime()
        let runs = Runs()
        let receiver = Received()
        let source = source(of: runs, at: time)
        source.start(after: nil, into: receiver)
        time.settle()
        runs.emit("a", "b")
        time.settle()
        runs.emit("c", "d")
        runs.end()
        time.settle()
        #expect(receiver.values == [#""a""#, #""b""#])
        source.settled(through: nil)
        time.settle()
        #expect(receiver.values == [#""a""#, #""b""#, #""c""#, #""d""#])
        #expect(receiver.batches == 2)
        let isEnded = Locked(false)
        source.stop()
        running.whenNoneRuns { isEnded.withLock { $0 = true } }
        #expect(isEnded.withLock { $0 })
        time.advance(by: .seconds(100))
        #expect(runs.count == 1)
    }

    @Test("a program runs until it has ended, also after the stop, and nothing is emitted then")
    func stopped() {
        let time = SteppedTime()
        let runs = Runs()
        let receiver = Received()
        let source = source(of: runs, at: time)
        source.start(after: nil, into: receiver)
        time.settle()
        let isEnded = Locked(false)
        source.stop()
        running.whenNoneRuns { isEnded.withLock { $0 = true } }
        #expect(!isEnded.withLock { $0 })
        runs.emit("late")
        time.settle()
        // Work that does not ask for time is disposed, which ends the run.
        #expect(isEnded.withLock { $0 })
        #expect(receiver.values.isEmpty)
        #expect(receiver.waiting.isEmpty)
    }
}

/// Runs of a program that a test ends.
private final class Runs: Sendable {
    private let observers = Locked<[AnyObserver<RawJSON>]>([])

    var count: Int { observers.withLock { $0.count } }

    var work: @Sendable (Invocation) -> Observable<RawJSON> {
        { [observers] _ in
            Observable.create { observer in
                observers.withLock { $0.append(observer) }
                return Disposables.create()
            }
        }
    }

    func emit(_ lines: String...) {
        let observer = observers.withLock { $0.last }
        for line in lines { observer?.onNext(RawJSON(.string(line))) }
    }

    func end(with failure: WorkFailure? = nil) {
        let observer = observers.withLock { $0.last }
        if let failure { observer?.onError(failure) } else { observer?.onCompleted() }
    }
}

/// Keeps what a source reports, and settles what it emits when a test asks for it.
private final class Received: SourceReceiver {
    private struct State {
        var values: [String] = []
        var batches = 0
        var settled = 0
        var waiting: [String?] = []
        var errors: [String] = []
    }

    private let state = Locked(State())

    var values: [String] { state.withLock { $0.values } }
    var batches: Int { state.withLock { $0.batches } }
    var waiting: [String?] { state.withLock { $0.waiting } }
    var errors: [String] { state.withLock { $0.errors } }

    /// Settles the batch that came in, if there is one. Always true.
    func settleAll(_ source: ProgramSource) -> Bool {
        let isDue = state.withLock { state in
            defer { state.settled = state.batches }
            return state.settled < state.batches
        }
        if isDue { source.settled(through: nil) }
        return true
    }

    func receive(_ elements: [SourceElement]) {
        state.withLock {
            $0.values += elements.map(\.value.text)
            $0.batches += 1
        }
    }

    func report(waiting reason: String?) { state.withLock { $0.waiting.append(reason) } }
    func report(error message: String, element: RawJSON?) {
        state.withLock { $0.errors.append("\(message) (\(element?.text ?? ""))") }
    }
    func report(lost count: Int?) {}
    func finish() {}
}
