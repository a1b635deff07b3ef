internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxLoop
internal import RxTerminal

/// `rxctl top`: what the daemon has and does, on the whole screen.
///
/// The path of a picture: `TopPoll` requests a `TopSnapshot` four times a second; `TopState` takes it; `TopView` makes
/// a `Frame` of the state; `FrameUpdate` makes the bytes of the difference, which `Output` writes. The path of a key: a
/// `KeyDecoder` makes a `Key` of the bytes; `TopState.press` changes the state and may return a `TopRequest`, which
/// `TopRequests` carries out. State, view, and frame are values, so that tests need neither a terminal nor a daemon.
final class Top {
    /// Between two snapshots. People do not read faster.
    private static let pace = Duration.milliseconds(250)
    /// How long a terminal that takes nothing is left alone.
    private static let slowTerminal = Duration.milliseconds(20)

    private let session: DaemonSession
    private let screen = TerminalScreen(input: STDIN_FILENO, output: STDOUT_FILENO)
    private let update = FrameUpdate(colors: TextColor.isWanted)
    private let poll: TopPoll
    private let requests: TopRequests
    private var state: TopState
    private var decoder = KeyDecoder()
    /// How often keys were read.
    private var reads = 0
    /// What the terminal shows; nil if that is unknown.
    private var shown: Frame?
    private var size = (columns: TerminalWidth.standard, rows: 24)
    private var willDraw = false
    private var keys: Watch?
    private var signals: (TerminalSignals, Watch)?
    private var pager: TopPager?

    init(_ session: DaemonSession) {
        self.session = session
        let socket = session.options.socket.map { ["--socket", $0] } ?? []
        state = TopState(globalWords: socket)
        poll = TopPoll(session)
        requests = TopRequests(session)
    }

    /// Runs until a key ends the command, or the session ends. Call `restore` after that.
    func start() throws(SystemCallError) {
        // The first signal ends the command, the hang-up of the terminal included.
        session.endWholeLinesOnly()
        Interrupts.beforeExit = { TerminalScreen.restore() }
        screen.enter()
        session.link.onLoss = { [unowned self] in
            state.connection = .lost($0.description)
            draw()
        }
        if let signals = TerminalSignals() {
            let watch = try session.watch(signals.descriptor) { [unowned self] in handle(signals.read()) }
            self.signals = (signals, watch)
        }
        try watchKeys()
        resize()
        draw()
        requests.onChange = { [unowned self] change in
            change(&state)
            draw()
        }
        requests.onOutput = { [unowned self] in show($0) }
        requests.readHistory()
        takeSnapshot()
    }

    /// Leaves the terminal as it was. To be called when the loop has ended, however.
    func restore() {
        pager?.end()
        screen.leave()
    }

    // MARK: Snapshots

    private func takeSnapshot() {
        let start = ContinuousClock.now
        poll.take(for: state, ends: visibleActions) { [self] result in
            if !session.isOver {
                switch result {
                case .success(let answer):
                    // The next daemon knows the ends of the one before from the history only.
                    if case .lost = state.connection { requests.readHistory() }
                    state.take(answer.snapshot)
                    if let details = answer.details { state.details = details }
                case .failure(let error): state.connection = .lost(error.description)
                }
                draw()
            }
            session.schedule(after: max(.milliseconds(10), Self.pace - (ContinuousClock.now - start))) { [self] in
                takeSnapshot()
            }
        }
    }

    /// The actions whose bars are on the screen, or a few lines away from it.
    private var visibleActions: [String] { state.visibleActions(rows: size.rows) }

    // MARK: Drawing

    private func draw() {
        guard pager == nil, !session.isOver else { return }
        // A terminal that is slower than we are gets the newest picture next, not all of them.
        guard session.output.isIdle else {
            guard !willDraw else { return }
            willDraw = true
            return session.schedule(after: Self.slowTerminal) { [self] in
                willDraw = false
                draw()
            }
        }
        let frame = TopView.frame(of: &state, columns: size.columns, rows: size.rows)
        session.output.print(update.bytes(from: shown, to: frame))
        shown = frame
    }

    private func resize() {
        size = TerminalScreen.size(of: STDOUT_FILENO) ?? size
        shown = nil
    }

    // MARK: Keys and signals

    private func watchKeys() throws(SystemCallError) {
        keys = try session.watch(STDIN_FILENO) { [unowned self] in readKeys() }
    }

    private func readKeys() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else {
            // The terminal has gone.
            if count == 0 || errno != EINTR && errno != EAGAIN { session.finish(.interrupted) }
            return
        }
        reads += 1
        press(decoder.decode(bytes.prefix(count)))
        guard decoder.isWaiting else { return }
        let number = reads
        session.schedule(after: KeyDecoder.patience) { [self] in
            // What has come since may begin with an escape of its own.
            if number == reads { press(decoder.flush()) }
        }
    }

    private func press(_ keys: [Key]) {
        guard !keys.isEmpty else { return }
        for key in keys {
            switch state.press(key) {
            case .quit: return session.finish()
            case let request?: requests.perform(request)
            case nil: break
            }
        }
        draw()
    }

    private func handle(_ signals: [TerminalSignals.Signal]) {
        for signal in signals {
            switch signal {
            case .resized: resize()
            case .stopping:
                // A pager restores the terminal itself.
                if let pager {
                    pager.waitUntilStopped()
                    self.signals?.0.stop()
                    continue
                }
                leave()
                self.signals?.0.stop()
                screen.enter()
                resize()
            case .continued:
                guard pager == nil else { continue }
                screen.refresh()
                resize()
            }
        }
        draw()
    }

    /// Leaves the screen for a while, with nothing unwritten that would follow.
    private func leave() {
        session.output.flush()
        screen.leave()
    }

    // MARK: The pager

    private func show(_ text: [UInt8]) {
        guard pager == nil, !session.isOver, state.mode == .list else { return }
        keys?.cancel()
        leave()
        let pager = TopPager(text)
        self.pager = pager
        let end = { [self] in
            pager?.end()
            self.pager = nil
            screen.enter()
            resize()
            try? watchKeys()
            draw()
        }
        guard let pager, (try? pager.watch(session, end)) != nil else {
            end()
            state.message = ("no pager can be started; set PAGER", true)
            return draw()
        }
    }
}
