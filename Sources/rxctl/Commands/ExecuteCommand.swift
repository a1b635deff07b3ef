internal import ArgumentParser
internal import RxClient
internal import RxJSON

struct ExecuteCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "execute",
        abstract: "Executes an action and prints its elements, one a line, as they come.",
        discussion: """
            INPUT is JSON, - (JSON from stdin), @FILE (JSON from a file), or pairs: key=text and key:=json.
            Ctrl-C withdraws from the execution and waits for its end; a second one leaves at once. The last one to \
            withdraw cancels it, and so does rxctl when it goes away otherwise, unless --detach says that it goes on.
            With --each, every line of stdin is an input; blank ones are skipped. One that fails is told with its line \
            number, the others follow, and the exit status is that of the first line that failed.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: ArgumentHelp("Longest the work may take.", valueName: "duration"))
    var timeout: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Makes a repetition harmless: the same key gets the same execution.",
            discussion: "With --each, line N has the key KEY-N.", valueName: "key"))
    var key: String?

    @Flag(help: "Print the execution's id and leave; it goes on.")
    var detach = false

    @Flag(help: "Take one JSON input from each line of stdin.")
    var each = false

    @Option(help: ArgumentHelp("With --each, keep that many executions in flight.", valueName: "count"))
    var parallel: Int?

    @Flag(help: "Exit as the action's command did: with its code, or 128 and the number of its signal.")
    var propagate = false

    @Flag(help: "Print strings without their quotes.")
    var raw = false

    @Flag(help: "Exit 75 if elements were lost on the way.")
    var strict = false

    @Argument(help: "The action's name.", completion: .actions)
    var action: String

    @Argument(help: "Its input.", completion: .input)
    var input: [String] = []

    func validate() throws {
        if action.isEmpty { throw ValidationError("ACTION is empty.") }
        if key == "" { throw ValidationError("--key is empty.") }
        if each, !input.isEmpty { throw ValidationError("--each takes the inputs from stdin, and no INPUT.") }
        if detach, raw || strict || propagate {
            throw ValidationError("--detach does not wait, so --raw, --strict and --propagate have no meaning.")
        }
        if let parallel {
            guard each, !detach else { throw ValidationError("--parallel goes with --each, and not with --detach.") }
            guard (1...LineExecutions.mostParallel).contains(parallel) else {
                throw ValidationError("--parallel must be 1 to \(LineExecutions.mostParallel).")
            }
        }
    }

    func run() throws {
        if each {
            return try DaemonSession.run(options) { LineExecutions($0, self).start() }
        }
        let request = request(input: try Input.read(input), key: key)
        try DaemonSession.run(options) { session in
            detach ? session.detach(request) { session.finish($0) } : follow(request, session)
        }
    }

    /// What is asked of the daemon.
    func request(input: RawJSON?, key: String?) -> ExecuteRequest {
        ExecuteRequest(
            action: action, input: input, onDisconnect: detach ? .detach : .cancel, timeout: timeout?.text, key: key)
    }

    var style: FollowedExecution.Style {
        FollowedExecution.Style(raw: raw, strict: strict, propagate: propagate)
    }

    private func follow(_ request: ExecuteRequest, _ session: DaemonSession) {
        let execution = FollowedExecution(session, style)
        execution.start(request, onStart: ExecuteCommand.tell) { session.finish($0) }
        session.onInterrupt = {
            StandardStreams.note("cancelling \(action); once more to leave at once")
            execution.withdraw()
        }
    }

    /// Who sits at a terminal is told why nothing happens yet.
    private static func tell(_ reply: ExecuteReply) {
        guard StandardStreams.errorIsTerminal else { return }
        switch reply.disposition {
        case .queued: StandardStreams.note("waiting for its turn: \(reply.execution)")
        case .joined: StandardStreams.note("joined \(reply.execution)")
        case .started, nil: break
        }
    }
}
