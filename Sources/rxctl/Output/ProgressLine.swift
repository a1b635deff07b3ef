/// How far a long command has come, `12 of 500`, as a line on stderr that is written over itself. It is there only if
/// stderr is a terminal, and gone when the command ends.
///
/// The line is drawn in a turn of its own, so after what that turn's output has written to the same terminal. A command
/// whose stdout is a terminal calls `clear` before it prints.
final class ProgressLine {
    /// The time between two drawings: four a second are enough to see that it goes on.
    static let pause = Duration.milliseconds(250)

    private let verb: String
    private let schedule: (Duration, @escaping () -> Void) -> Void
    private let write: (String) -> Void
    /// Nil if stderr is not a terminal.
    private let width: (() -> Int)?
    private var state: (done: Int, total: Int?)?
    /// The cells of the line on the screen; 0 if there is none.
    private var drawn = 0
    private var isScheduled = false
    private var hasEnded = false

    /// - Parameters:
    ///   - verb: what is done to each, such as "executed", in ASCII; empty for the numbers alone.
    ///   - width: the cells of the terminal's lines; nil if stderr is not a terminal, which draws nothing.
    ///   - schedule: calls the body after the time, such as `DaemonSession.schedule`.
    ///   - write: writes text to stderr at once.
    init(
        _ verb: String = "", width: (() -> Int)? = StandardStreams.errorIsTerminal ? { TerminalWidth.ofErrors } : nil,
        schedule: @escaping (Duration, @escaping () -> Void) -> Void,
        write: @escaping (String) -> Void = StandardStreams.writeError
    ) {
        self.verb = verb
        self.width = width
        self.schedule = schedule
        self.write = write
    }

    /// Shows the numbers, within `pause`.
    ///
    /// - Parameter total: how many there are; nil as long as that is not known.
    func show(_ done: Int, of total: Int?) {
        state = (done, total)
        redrawSoon()
    }

    /// Removes the line for what is printed next; it comes back after `pause`.
    func clear() {
        erase()
        if state != nil { redrawSoon() }
    }

    /// Removes the line for good.
    func end() {
        hasEnded = true
        erase()
    }

    private func redrawSoon() {
        guard width != nil, !isScheduled, !hasEnded else { return }
        isScheduled = true
        schedule(Self.pause) { [weak self] in
            guard let self else { return }
            isScheduled = false
            draw()
        }
    }

    private func draw() {
        guard let width, let state, !hasEnded else { return }
        let numbers = state.total.map { "\(state.done) of \($0)" } ?? "\(state.done)"
        // The last place of a line stays free: some terminals go on to the next one there.
        let text = (verb.isEmpty ? numbers : "\(numbers) \(verb)").prefix(max(0, width() - 1))
        write("\r\(text)\(String(repeating: " ", count: max(0, drawn - text.count)))")
        drawn = max(text.count, drawn)
    }

    private func erase() {
        guard drawn > 0 else { return }
        write("\r\(String(repeating: " ", count: drawn))\r")
        drawn = 0
    }
}
