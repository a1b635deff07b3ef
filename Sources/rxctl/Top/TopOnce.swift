internal import Glibc
internal import RxJSON
internal import RxTerminal

/// `rxctl top --once`, and `top` without a terminal: one frame on stdout.
final class TopOnce {
    private let session: DaemonSession
    private let poll: TopPoll
    private let requests: TopRequests
    private var state: TopState

    init(_ session: DaemonSession) {
        self.session = session
        poll = TopPoll(session)
        requests = TopRequests(session)
        state = TopState(globalWords: session.options.socket.map { ["--socket", $0] } ?? [])
    }

    func start() {
        requests.onChange = { [self] change in
            change(&state)
            state.message = nil
            take(ends: [])
        }
        requests.readHistory()
    }

    /// Takes a snapshot without ends, which shows what is visible, then one with the ends of that.
    private func take(ends: [String]) {
        poll.take(for: state, ends: ends) { [self] result in
            guard !session.isOver else { return }
            switch result {
            case .failure(let error): session.finish(Ending(error))
            case .success(let answer):
                state.take(answer.snapshot)
                if let details = answer.details { state.details = details }
                let visible = state.visibleActions(rows: size.rows)
                if ends.isEmpty, !visible.isEmpty { take(ends: visible) } else { print(answer.facts) }
            }
        }
    }

    private var size: (columns: Int, rows: Int) {
        TerminalScreen.size(of: STDOUT_FILENO) ?? (TerminalWidth.ofTable, TerminalWidth.number(in: "LINES") ?? 24)
    }

    /// - Parameter facts: what is printed with `--json`.
    private func print(_ facts: JSONObject) {
        if session.options.json {
            session.print(RawJSON(.object(facts)))
            return session.finish()
        }
        let frame = TopView.frame(of: &state, columns: size.columns, rows: size.rows, hasKeys: false)
        let isStyled = TextColor.isShown
        var lines = isStyled ? frame.styledText(colors: true) : frame.text
        while lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines { session.output.printLine(line.utf8) }
        session.finish()
    }
}
