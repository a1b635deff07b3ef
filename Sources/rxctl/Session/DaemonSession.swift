internal import Glibc
internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol
internal import RxLoop
internal import UnixSocket

/// One command's time with the daemon: the loop on the main thread, the connection, stdout and the signals.
///
/// A command starts its requests in the body of `run` and calls `finish` when it knows how it ended; until then the
/// session answers for the rest: an unreachable or vanished daemon, a reader of stdout that goes away, Ctrl-C.
final class DaemonSession {
    /// First pause of `--wait`, doubled up to the longest.
    private static let shortestPause = Duration.milliseconds(5)
    private static let longestPause = Duration.milliseconds(200)

    let options: GlobalOptions
    let output: Output
    private(set) var connection: Connection!
    /// What the first Ctrl-C does; without it the session ends at once, as at the second one.
    var onInterrupt: (() -> Void)?
    /// What the loss of the connection does; without it the session ends.
    var onLoss: ((ClientError) -> Void)?

    private let loop: EventLoop
    private let interrupts: Interrupts
    private var interruptions = 0
    private var ending: Ending?

    /// Connects, calls `body` with the session, and returns when it is done; throws how it ended otherwise.
    static func run(_ options: GlobalOptions, _ body: @escaping (DaemonSession) -> Void) throws(Ending) {
        let session: DaemonSession
        do {
            session = try DaemonSession(options)
        } catch {
            throw Ending(outcome: .failed, message: .text(error.description))
        }
        session.connect(pause: shortestPause, until: options.wait.map { ContinuousClock.now + $0.duration }, body)
        session.loop.run()
        guard let ending = session.ending, ending.outcome != .done else { return }
        throw ending
    }

    private init(_ options: GlobalOptions) throws(SystemCallError) {
        self.options = options
        loop = try EventLoop()
        output = try Output(loop: loop)
        interrupts = try Interrupts(loop: loop)
        output.onFailure = { [unowned self] in leave(.outputFailed(errno: $0)) }
        output.onCursorFailure = { [unowned self] in leave($0) }
        output.onCongestion = { [unowned self] in $0 ? connection?.pauseReading() : connection?.resumeReading() }
        interrupts.onInterrupt = { [unowned self] in interrupt() }
    }

    /// Whether stdout is for programs: `--json`, or no terminal.
    var isForPrograms: Bool { options.json || !StandardStreams.outputIsTerminal }

    /// Sends a request; an error ends the command with it.
    func call(_ method: String, _ params: RawJSON? = nil, then body: @escaping (RawJSON) -> Void) {
        connection.call(method, params, completion: succeed(body))
    }

    /// The same; what is not found under the name of one kind is asked for as another.
    func call(
        _ method: String, _ params: RawJSON, orElse other: String, _ otherParams: RawJSON,
        then body: @escaping (RawJSON) -> Void
    ) {
        connection.call(method, params) { [self] reply in
            if case .failure(.refused(let error)) = reply, error.named == .notFound {
                // Its own refusal is told if neither is there.
                connection.call(other, otherParams) { second in
                    if case .failure(.refused(let otherError)) = second, otherError.named == .notFound {
                        self.succeed(body)(reply)
                    } else {
                        self.succeed(body)(second)
                    }
                }
            } else {
                succeed(body)(reply)
            }
        }
    }

    /// A completion for which an error is the command's end.
    func succeed(_ body: @escaping (RawJSON) -> Void) -> (Connection.Reply) -> Void {
        { [unowned self] reply in
            switch reply {
            case .success(let result): body(result)
            case .failure(let error): finish(Ending(error))
            }
        }
    }

    func print(_ json: RawJSON) {
        guard ending == nil else { return }
        output.printLine(json.minified().utf8)
    }

    func print(_ text: String) {
        guard ending == nil else { return }
        output.printLine(text.utf8)
    }

    /// What was printed so far reaches to `cursor`.
    func reach(_ cursor: String) {
        guard ending == nil else { return }
        output.reach(cursor)
    }

    /// Whether the command knows how it ends; nothing more is printed then.
    var isOver: Bool { ending != nil }

    /// Says on stderr what is no ending.
    func note(_ text: String) {
        if options.json {
            StandardStreams.writeError(RawJSON(["message": .string(text)]).text + "\n")
        } else {
            StandardStreams.note(text)
        }
    }

    /// Ends at the first signal that asks for it, the hang-up of a terminal included, with what is written of a line.
    func endWholeLinesOnly() {
        interrupts.add(SIGHUP)
        onInterrupt = { [unowned self] in
            output.dropUnbegun()
            finish(.interrupted)
        }
    }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) {
        loop.schedule(after: delay, body)
    }

    /// Says on stderr how one of several things ended, after what was printed before it.
    func report(_ ending: Ending, line: Int) {
        output.flush()
        ending.report(json: options.json, line: line)
    }

    /// Calls `body` whenever `descriptor` can be read, or has been hung up, until the watch is cancelled.
    func watch(_ descriptor: Int32, _ body: @escaping () -> Void) throws(SystemCallError) -> Watch {
        try loop.watch(fd: descriptor, .readable) { _ in body() }
    }

    /// The command is over; what was printed is written first. Only the first ending counts.
    func finish(_ ending: Ending = .done) {
        guard self.ending == nil else { return }
        self.ending = ending
        output.drain { [loop] in loop.stop() }
    }

    /// Over at once, with what is unwritten.
    private func leave(_ ending: Ending) {
        self.ending = ending
        connection?.close()
        loop.stop()
    }

    private func interrupt() {
        interruptions += 1
        if interruptions == 1, ending == nil, connection != nil, let onInterrupt {
            onInterrupt()
        } else {
            leave(.interrupted)
        }
    }
}

// MARK: Connecting

extension DaemonSession {
    private func connect(
        pause: Duration, until deadline: ContinuousClock.Instant?, _ body: @escaping (DaemonSession) -> Void
    ) {
        do {
            try open()
        } catch {
            let left = deadline.map { $0 - .now } ?? .zero
            guard error.mayPass, left > .zero else { return finish(Ending(error)) }
            schedule(after: min(pause, left)) { [self] in
                connect(pause: min(pause * 2, DaemonSession.longestPause), until: deadline, body)
            }
            return
        }
        body(self)
    }

    private func open() throws(ClientError) {
        // Resolved anew each time: a user's own socket may appear meanwhile.
        let path = SocketPath.resolve(option: options.socket)
        connection = try Connection(path: path, loop: loop)
        connection.onClose = { [unowned self] in lost($0) }
        if output.isCongested { connection.pauseReading() }
    }

    private func lost(_ error: ClientError) {
        guard ending == nil else { return }
        if let onLoss { onLoss(error) } else { finish(Ending(error)) }
    }

    /// Connects again after `pause` and calls `body`; if that fails, the connection is lost again.
    func reconnect(after pause: Duration, _ body: @escaping () -> Void) {
        schedule(after: pause) { [self] in
            guard ending == nil else { return }
            do throws(ClientError) {
                try open()
            } catch {
                return lost(error)
            }
            body()
        }
    }
}

extension ClientError {
    /// Whether a daemon that is coming up explains it: no socket yet, nobody behind it yet, too many waiting.
    fileprivate var mayPass: Bool {
        guard case .unreachable(_, let errno) = self else { return false }
        return [ENOENT, ECONNREFUSED, EAGAIN].contains(errno)
    }
}
