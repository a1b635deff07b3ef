internal import ArgumentParser
internal import Glibc
internal import RxClient
internal import RxLoop
internal import RxTerminal

struct TopCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Shows the actions, reactors, and streams on the whole screen, and what they do.",
        usage: "rxctl top [<options>]",
        discussion: """
            Shows what is enabled or why not, the next times, what is in flight and queued, the last 20 ends as bars, \
            and the median of their durations; for the selected item, its marbles. It takes four snapshots a second.

            Keys: the arrows select; / filters; x cancels the executions of an action; e executes it with a form; \
            d disables with a reason, or enables; y shows why; o shows the last output in $PAGER; left and right go \
            back and forth in time, through the log of executions, and Esc returns to the present; q quits. The last \
            lines have the rxctl command that does the same.

            Without a terminal, and with --once, prints one frame, without colors if NO_COLOR is set; with --json, the \
            facts of the frame as a JSON object.
            """)

    @Flag(help: "Print one frame and exit.")
    var once = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        guard !once, !options.json, StandardStreams.outputIsTerminal else {
            return try DaemonSession.run(options) { TopOnce($0).start() }
        }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Ending.usage("stdin is not a terminal, so there are no keys; use --once")
        }
        var top: Top?
        defer { top?.restore() }
        do {
            try DaemonSession.run(options, reconnecting: .forever) { session in
                let new = Top(session)
                top = new
                do throws(SystemCallError) {
                    try new.start()
                } catch {
                    session.finish(Ending(outcome: .failed, message: .text(error.description)))
                }
            }
        }
    }
}
