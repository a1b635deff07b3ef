internal import Glibc
internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxPlatform
internal import RxProtocol

/// `execute --each` and `retry`: executes every line, a few at a time, and ends the session after the last one.
///
/// A line goes from a `LineSource` to an `AttachedLine` or a `DetachedLine`, which executes it and yields results;
/// `LineOrder` holds them back with `--keep-order`, and `LinePrinter` prints them. With `--resume`, a `JobLog` has the
/// end of each line once its output is written, and `LineKeys` makes what was accepted before recognizable.
final class LineRun {
    /// Each execution has a stream, and the daemon limits the streams of a connection.
    static let mostParallel = Limits().subscriptionsPerConnection

    /// Keys that are kept until the job log is on the disk, and keys that other runs use as well: fewer than a user may
    /// have.
    private static let mostKeys = 1000

    private let session: DaemonSession
    private let options: LineOptions
    private let lines: any LineSource
    private let log: JobLog?
    private let executor: LineExecutor
    private let printer: LinePrinter
    private let spentKeys: SpentKeys
    private var order: LineOrder
    /// What is in flight, by its number.
    private var inFlight: [Int: any ExecutedLine] = [:]
    /// The lines whose end is not printed.
    private var unprinted: [Int: EachLine] = [:]
    /// The keys of lines whose end is not printed.
    private var keys: [Int: String] = [:]
    /// The keys of lines whose end the job log has, but perhaps not the disk.
    private var loggedKeys: [String] = []
    /// Keys that another run has, too, if it retries the same failures: the latest ones, so that what this run has
    /// completed is not executed again by the other.
    private var sharedKeys: [String] = []
    /// Ends that the job log has once the output before them is written, with the keys that are not needed then.
    private var unlogged: [(entry: JobLogEntry, key: String?)] = []
    private var isWaitingForOutput = false

    /// The first line of the input that failed, which decides the exit status.
    private var failure: (line: Int, outcome: Outcome)?
    /// Lines that an earlier run has completed.
    private var skipped = 0
    /// Lines whose end is printed.
    private var ended = 0
    /// How many lines there are; nil if that is not known.
    private let total: Int?
    private var isAdvancing = false
    private var isAtEnd = false
    private var isFinishing = false
    /// Set when no more lines are started before the end of the input.
    private var stop: Ending?

    init(_ session: DaemonSession, _ lines: any LineSource, _ options: LineOptions, _ log: JobLog? = nil) {
        self.session = session
        self.lines = lines
        self.options = options
        self.log = log
        executor = LineExecutor(session, options, LineKeys(options.key.map { .given($0) } ?? log.map { .job($0.id) }))
        printer = LinePrinter(session, options)
        spentKeys = SpentKeys(session, action: options.action)
        order = LineOrder(isKept: options.keepsOrder)
        total = StandardStreams.errorIsTerminal ? lines.count : nil
        if total != nil, !session.options.json {
            session.progress = ProgressLine(options.isDetached ? "accepted" : "done", schedule: session.schedule)
        }
    }

    func start() {
        session.onInterrupt = { [self] in interrupt() }
        executor.logCut = { [self] line, execution in
            write([JobLogEntry(line: line.number, input: line.hash, state: .interrupted, execution: execution)])
        }
        lines.onMore = { [self] in advance() }
        advance()
    }

    /// Starts as many executions as are allowed, and reads on only when no line is left: stdin is read as it is needed.
    private func advance() {
        // A line may end as it is taken, and many may do so one after the other.
        guard !isAdvancing else { return }
        isAdvancing = true
        let needsMore = startLines()
        isAdvancing = false
        if needsMore { lines.readMore() } else { finishIfIdle() }
    }

    /// - Returns: whether lines have to be read on.
    private func startLines() -> Bool {
        while stop == nil, !isAtEnd, !session.isOver, inFlight.count < options.parallel, order.hasRoom {
            switch lines.next() {
            case .line(let line):
                take(line)
            case .failed(let errno):
                session.finish(.inputRefused("cannot read stdin: \(SystemErrorName.text(of: errno))"))
            case .none:
                return true
            case .end:
                isAtEnd = true
                noteSkipped()
            }
        }
        return false
    }

    private func take(_ line: EachLine) {
        switch log?.lines.state(of: line) {
        case .completed?:
            skipped += 1
            return showProgress()
        case .edited?:
            return end(.edited(line.number, options.resume ?? ""))
        case .open?, nil:
            break
        }
        order.begin(line.number, cost: line.cost)
        unprinted[line.number] = line
        let input: RawJSON
        switch line.input {
        case .success(let value): input = value
        case .failure(let fault): return deliver(.end(fault, execution: nil), of: line.number)
        }
        let executed = executor.execution(of: line, input, tries: log?.lines.tries(of: line.number) ?? 0) { [self] in
            deliver($0, of: line.number)
        }
        inFlight[line.number] = executed
        executed.start()
    }

    private func deliver(_ result: LineResult, of number: Int) {
        if case .end(let ending, _) = result {
            keys[number] = inFlight.removeValue(forKey: number)?.key
            // It is about all lines: reported once.
            if ending.endsAllLines(of: options) { return session.finish(ending) }
        }
        for (number, result) in order.add(result, of: number) { print(result, of: number) }
        if case .end = result { advance() }
    }

    private func print(_ result: LineResult, of number: Int) {
        guard let line = unprinted[number] else { return }
        guard case .end(let ending, let execution) = result else { return printer.print(result, of: line) }
        unprinted[number] = nil
        ended += 1
        showProgress()
        // Canceled by Ctrl-C, which needs no report.
        let isReported = stop?.outcome != .interrupted || ending.outcome != .error(.cancelled)
        if isReported { printer.print(result, of: line) }
        let key = keys.removeValue(forKey: number)
        guard let state = JobLogEntry.State(ending) else { return }
        if ending.outcome != .done, number < failure?.line ?? .max { failure = (number, ending.outcome) }
        let spent = executor.keys.areMade ? key : nil
        guard log != nil else {
            if let spent { spend(spent, of: line) }
            return
        }
        let entry = JobLogEntry(line: number, input: line.hash, state: state, execution: execution, ending.text)
        unlogged.append((entry, spent))
        logLater()
    }

    private func spend(_ key: String, of line: EachLine) {
        guard line.key != nil else { return spentKeys.add(key) }
        sharedKeys.append(key)
        guard sharedKeys.count > LineRun.mostKeys else { return }
        for key in sharedKeys.prefix(LineRun.mostKeys / 10) { spentKeys.add(key) }
        sharedKeys.removeFirst(LineRun.mostKeys / 10)
    }

    private func showProgress() {
        if let total { session.progress?.show(skipped + ended, of: total) }
    }

    // MARK: The job log

    /// Logs ends once everything printed so far is written: what is logged is not printed again.
    private func logLater() {
        guard !isWaitingForOutput else { return }
        isWaitingForOutput = true
        // Once a turn, however many lines have ended in it.
        session.schedule(after: .zero) { [self] in
            let count = unlogged.count
            session.output.whenWritten { [self] in
                isWaitingForOutput = false
                let written = unlogged.prefix(count)
                unlogged.removeFirst(count)
                loggedKeys += written.compactMap(\.key)
                write(written.map(\.entry))
                if !unlogged.isEmpty { logLater() }
                finishIfIdle()
            }
        }
    }

    private func write(_ entries: [JobLogEntry]) {
        guard let log else { return }
        do throws(Ending) {
            try log.append(entries)
            if loggedKeys.count < LineRun.mostKeys {
                log.syncLater(session.schedule) { [self] in synced($0) }
            } else {
                try log.sync()
                synced(nil)
            }
        } catch {
            session.finish(error)
        }
    }

    private func synced(_ failure: Ending?) {
        if let failure { return session.finish(failure) }
        for key in loggedKeys { spentKeys.add(key) }
        loggedKeys = []
    }

    private func noteSkipped() {
        guard skipped > 0, StandardStreams.errorIsTerminal, let file = options.resume else { return }
        session.note("\(skipped) line\(skipped == 1 ? "" : "s") completed before, by \(file)")
    }

    // MARK: The end

    /// Starts no more lines; the run ends as `ending` when what is in flight has ended.
    private func end(_ ending: Ending) {
        stop = ending
        lines.stop()
    }

    private func interrupt() {
        end(.interrupted)
        session.note(
            options.isDetached
                ? "starting no more; press Ctrl-C again to leave at once"
                : "canceling all executions; press Ctrl-C again to leave at once")
        for line in Array(inFlight.values) { line.withdraw() }
        finishIfIdle()
    }

    private func finishIfIdle() {
        guard isAtEnd || stop != nil, inFlight.isEmpty, unlogged.isEmpty, !isWaitingForOutput, !session.isOver else {
            return
        }
        do throws(Ending) {
            try log?.sync()
        } catch {
            return session.finish(error)
        }
        let ending = stop ?? failure.map { Ending(outcome: $0.outcome) } ?? .done
        if ending.outcome == .interrupted { return session.finish(ending) }
        guard !isFinishing else { return }
        isFinishing = true
        for key in loggedKeys { spentKeys.add(key) }
        spentKeys.finish { [session] in session.finish(ending) }
    }
}

extension Ending {
    fileprivate static func edited(_ line: Int, _ path: String) -> Ending {
        Ending(
            outcome: .inputRefused,
            message: .text(
                "line \(line) is not the input that has completed as line \(line) of \(path); "
                    + "restore the input, or name another file"),
            facts: ["name": "inputRefused", "line": JSONValue(line), "path": .string(path)])
    }

    /// Whether no line can succeed: the action, or what `--after` names, is not there, the caller has no right to
    /// execute it, or there is no way to the daemon.
    fileprivate func endsAllLines(of options: LineOptions) -> Bool {
        if case .unreachable = outcome { return true }
        guard case .error(let error) = message else { return false }
        switch error.named {
        case .forbidden: return true
        case .notFound:
            let facts = error.data?.value()
            guard let name = (facts?["action"] ?? facts?["execution"])?.string else { return false }
            return name == options.action || options.request.after == name
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .workFailed, .notEnabled,
            .queueFull, .timedOut, .cancelled, .limitReached, .duplicateSubscription, .featureMissing, .cursorExpired,
            .shuttingDown, .tooLarge:
            return false
        }
    }
}
