internal import RxClient
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// `execute --each`: executes every line of stdin, a few at a time, and ends the session after the last one.
final class LineExecutions {
    /// Each execution has a stream, and the daemon limits the streams of a connection.
    static let mostParallel = Limits().subscriptionsPerConnection

    private let session: DaemonSession
    private let command: ExecuteCommand
    private let lines: InputLines
    /// What is in flight, by its line.
    private var inFlight: [Int: Line] = [:]

    private enum Line {
        case followed(FollowedExecution)
        case detached(DetachedLine)

        func withdraw() {
            switch self {
            case .followed(let execution): execution.withdraw()
            case .detached(let line): line.withdraw()
            }
        }
    }

    /// The first line of the input that failed, which decides the exit status.
    private var failure: (line: Int, outcome: Outcome)?
    private var isInterrupted = false

    init(_ session: DaemonSession, _ command: ExecuteCommand) {
        self.session = session
        self.command = command
        lines = InputLines(limit: Limits().lineBytes, watch: session.watch)
    }

    func start() {
        session.onInterrupt = { [self] in interrupt() }
        lines.onMore = { [self] in advance() }
        advance()
    }

    /// Starts as many executions as are allowed, and reads on only when no line is left: stdin is read as it is needed.
    private func advance() {
        while !isInterrupted, inFlight.count < command.parallel ?? 1 {
            switch lines.next() {
            case .line(let text, let number): execute(text, number)
            case .tooLong(let number):
                fail(number, .inputRefused("longer than \(Limits().lineBytes) bytes, the limit of a request"))
            case .failed(let errno):
                return session.finish(.inputRefused("cannot read stdin: \(SystemErrorName.text(of: errno))"))
            case .none:
                return lines.readMore()
            case .end:
                return finishIfIdle()
            }
        }
        if isInterrupted { finishIfIdle() }
    }

    private func execute(_ text: ArraySlice<UInt8>, _ number: Int) {
        let input: RawJSON
        do {
            input = try Input.json(line: text)
        } catch {
            return fail(number, error)
        }
        let request = command.request(input: input, key: command.key.map { "\($0)-\(number)" })
        let onEnd: (Ending) -> Void = { [self] ending in
            inFlight[number] = nil
            settle(number, ending)
        }
        if command.detach {
            let line = DetachedLine(session, request, line: number, settle: onEnd)
            inFlight[number] = .detached(line)
            line.start()
        } else {
            let execution = FollowedExecution(session, command.style)
            inFlight[number] = .followed(execution)
            execution.start(request, onEnd: onEnd)
        }
    }

    private func settle(_ number: Int, _ ending: Ending) {
        switch ending.outcome {
        case .done, .interrupted: break
        // The daemon is gone, which is reported once.
        case .unreachable: return session.finish(ending)
        case .error, .ended, .inputRefused, .usage, .eventsLost, .timedOut, .readerGone, .propagated, .faulty, .failed:
            fail(number, ending)
        }
        advance()
    }

    private func fail(_ number: Int, _ ending: Ending) {
        session.report(ending, line: number)
        if number < failure?.line ?? .max {
            failure = (number, ending.outcome)
        }
    }

    private func interrupt() {
        isInterrupted = true
        lines.stop()
        StandardStreams.note(
            command.detach
                ? "starting no more; press Ctrl-C again to leave at once"
                : "cancelling all executions; press Ctrl-C again to leave at once")
        for line in inFlight.values { line.withdraw() }
        finishIfIdle()
    }

    private func finishIfIdle() {
        guard inFlight.isEmpty else { return }
        session.finish(isInterrupted ? .interrupted : failure.map { Ending(outcome: $0.outcome) } ?? .done)
    }
}
