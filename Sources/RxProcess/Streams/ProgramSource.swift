internal import Rx
internal import RxHost
internal import RxAction
package import RxJSON
package import RxPlatform
package import RxStreams
internal import RxTime

// Sendable: the mutable state belongs to the queue.
/// Emits the output of a program that is kept running: each line as a string, or the JSON in it.
///
/// The program runs like that of an action, in a session of its own, under the ledger, with its standard error in the
/// journal; its standard input is empty. `RX_ACTION` is the name of the stream, and each run has an `RX_EXECUTION`.
///
/// When the program ends, whatever its status, it starts again after a second; the delay doubles up to a minute, and is
/// a second again after a run of a minute. While a batch is not settled, the output of the program is not read, so a
/// program that writes more than a pipe holds waits. What it wrote before its end is still read.
///
/// A line that is not JSON is reported as an error and skipped, as are blank lines of JSON. A line longer than
/// `ProcessLimits.lineBytes` ends the run. There are no positions: what a program writes is emitted once or, if the
/// daemon ends in between, not at all.
package final class ProgramSource: StreamSource, @unchecked Sendable {
    /// What the elements are made of.
    package enum Output: String, Sendable, CaseIterable {
        /// Each line is a string.
        case lines
        /// Each line is a JSON value.
        case json
    }

    /// The delays before a further start.
    static let retry = DoublingDelay(first: .seconds(1), longest: .seconds(60))
    /// A run of this length was no failure to start, so the next delay is the first one again.
    static let longRun = Duration.seconds(60)
    /// A program that has run for so long without an element counts as running; most that cannot work end sooner.
    static let firstSigns = Duration.seconds(1)

    private let name: String
    private let program: String
    private let output: Output
    private let work: @Sendable (Invocation) -> Observable<RawJSON>
    private let running: RunningPrograms
    private let platform: Platform
    private let queue: WorkQueue

    private var receiver: (any SourceReceiver)?
    private var run: ProgramRun?
    private var startedAt = Duration.zero
    private var delay = retry
    private var timer: QueueTimer?
    private var waiting = WaitingReport()
    private var pending: [SourceElement] = []
    private var isSettled = true
    private var isDelivering = false

    /// A source that keeps the program of `definition` running with the daemon's services for processes.
    ///
    /// - Parameters:
    ///   - name: the name of the stream, for logs and for the program.
    ///   - definition: what to start; its `output` is ignored, and no argument may depend on an input.
    ///   - output: what the elements are made of.
    ///   - running: counts the program from its start to its end.
    package convenience init(
        _ name: String, _ definition: ProcessDefinition, output: Output, with services: ProcessServices,
        among running: RunningPrograms, on platform: Platform
    ) {
        var definition = definition
        definition.output = .lines
        definition.hasInput = false
        let program = if case .text(let text) = definition.arguments.first { text } else { name }
        self.init(
            name, program: program, output: output, among: running, on: platform, work: services.work(definition))
    }

    /// - Parameter work: one run of the program, whose elements are its lines as JSON strings.
    init(
        _ name: String, program: String, output: Output, among running: RunningPrograms,
        on platform: Platform, work: @escaping @Sendable (Invocation) -> Observable<RawJSON>
    ) {
        self.name = name
        self.program = program
        self.output = output
        self.work = work
        self.running = running
        self.platform = platform
        queue = platform.queues.serial("rxd.source.program")
    }

    package func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        queue.async { [self] in
            self.receiver = receiver
            begin()
        }
    }

    package func settled(through position: RawJSON?) {
        queue.async { [self] in
            isSettled = true
            deliver()
        }
    }

    /// Stops emitting, and ends the program: SIGTERM to its session, and SIGKILL after its grace. `RunningPrograms`
    /// shows when it has ended.
    package func stop() {
        queue.sync {
            receiver = nil
            pending = []
            timer?.cancel()
            run?.end()
        }
    }

    // MARK: Runs

    private func begin() {
        guard receiver != nil else { return }
        startedAt = platform.monotonicClock.now
        timer = queue.async(after: Self.firstSigns) { [weak self] in self?.isUp() }
        // The run refers to the source, so that it is kept until its program has ended.
        let run = ProgramRun(name, work, on: platform) { [self] event in
            let time = Instant(microseconds: platform.wallClock.milliseconds * 1000)
            queue.async { self.handle(event, at: time) }
        }
        self.run = run
        running.noteStart()
        run.begin()
    }

    private func isUp() { waiting.report(nil, to: receiver) }

    private func handle(_ event: ProgramRun.Event, at time: Instant) {
        switch event {
        case .line(let line): received(line, at: time)
        case .ended(let reason): ended(reason)
        }
    }

    private func ended(_ reason: String) {
        run = nil
        running.noteEnd()
        timer?.cancel()
        guard receiver != nil else { return }
        if platform.monotonicClock.now - startedAt >= Self.longRun { delay.reset() }
        let pause = delay.next()
        waiting.report("\(program): \(reason); it starts again in \(pause.rxText)", to: receiver)
        timer = queue.async(after: pause) { [weak self] in self?.begin() }
    }

    // MARK: Elements

    private func received(_ line: RawJSON, at time: Instant) {
        guard let receiver else { return }
        isUp()
        run?.hold()
        switch output {
        case .lines: pending.append(SourceElement(value: line, time: time))
        case .json:
            let text = line.value().string ?? ""
            guard text.utf8.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { break }
            do throws(JSONError) {
                let value = try RawJSON(validating: text).minified()
                pending.append(SourceElement(value: value, time: time))
            } catch {
                receiver.report(error: "a line of \(program) is not JSON: \(error.message)", element: line)
            }
        }
        // Later, so that lines that were read together are one batch.
        guard !isDelivering else { return }
        isDelivering = true
        queue.async { [self] in
            isDelivering = false
            deliver()
        }
    }

    /// Emits what has come in, once the batch before is settled, and reads on once nothing is left.
    private func deliver() {
        guard let receiver, isSettled else { return }
        guard !pending.isEmpty else {
            run?.readOn()
            return
        }
        let batch = pending
        pending = []
        isSettled = false
        receiver.receive(batch)
    }
}
