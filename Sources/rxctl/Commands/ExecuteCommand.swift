internal import ArgumentParser
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct ExecuteCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "execute",
        abstract: "Executes an action and prints its elements, one per line, as they come.",
        usage: "rxctl execute [<options>] <action> [<input> ...]",
        discussion: """
            INPUT is JSON, - (JSON from stdin), @FILE (JSON from a file), or pairs: key=text and key:=json. A single \
            word is a string.

            Ctrl-C withdraws from the execution and waits for its end; a second Ctrl-C leaves at once. The execution \
            is canceled when its last requester withdraws. It is also withdrawn when rxctl exits for any other \
            reason, unless --detach or --resume is given.

            With --each, every line of stdin is an input; blank lines are skipped. Failures are reported with their \
            line numbers and do not stop the other lines. The exit status is that of the first line that failed. A \
            line is held back while the action takes no more (its queue is full, a limit is reached, or it is \
            executing) and while the daemon is restarted; no line is lost. With --json, each record has the line's \
            number, and each line ends with one record that has "completed" or "error".

            With --resume, FILE has how each line has ended. The same command with the same FILE executes only the \
            lines that have not completed, and none twice, even if rxctl or the daemon was killed.

            With --after, the daemon waits for the end of an execution, or of all that an action has in flight or \
            queued at that moment; rxctl follows the execution unless --detach is given. If the action is durable, the \
            wait goes on after a restart of the daemon. `cancel` ends it. With --at or --in, the work does not start \
            before that time either.

            With --at or --in, the daemon keeps the request on disk and starts it at its time, also after a restart; \
            the execution's id is printed at once. `history` lists it, `cancel` withdraws it, and `why` prints an \
            action's next time. A TIME is 18:00 (the next one) or 2026-12-24T18:00, either also with seconds, and \
            with a zone such as Z, +01:00 (after a date), or " Europe/Berlin"; the machine's zone by default.
            """)

    @Option(
        help: ArgumentHelp("Longest time that the work may take.", valueName: "duration"),
        transform: { try DurationArgument.parse($0) })
    var timeout: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Make a repetition harmless: the same key returns the same execution.",
            discussion: "With --each, line N has the key KEY-N.", valueName: "key"))
    var key: String?

    @Flag(help: "Print the execution's id and exit; the execution goes on.")
    var detach = false

    @Option(help: ArgumentHelp("Start the work at this time.", valueName: "time"))
    var at: String?

    @Option(
        name: .customLong("in"), help: ArgumentHelp("Start the work after this time.", valueName: "duration"),
        transform: { try DurationArgument.parse($0) })
    var delay: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Start the work after the end of an execution, or of all that an action has in flight or queued now.",
            valueName: "execution|action"),
        completion: .executionsAndActions)
    var after: [String] = []

    @Flag(help: "With --after: do not start, and fail, if one of them does not complete.")
    var ifCompleted = false

    @Flag(help: "Execute each line of stdin, a JSON text, as an input.")
    var each = false

    @Option(help: ArgumentHelp("With --each, keep this many executions in flight.", valueName: "count"))
    var parallel: Int?

    @Flag(help: "With --each, print the input and a tab before each line of output; with --json, as a member.")
    var tag = false

    @Flag(help: "With --each, print the output in the order of the lines.")
    var keepOrder = false

    @Option(
        help: ArgumentHelp(
            "With --each, log how each line ends, and do not execute again what has completed.", valueName: "file"),
        completion: .file())
    var resume: String?

    @Flag(help: "Exit as the action's command did: with its code, or 128 plus its signal.")
    var propagate = false

    @Flag(help: "Print strings without their quotes.")
    var raw = false

    @Flag(help: "Exit with 75 if elements were dropped on the way.")
    var strict = false

    @Argument(help: "The action's name.", completion: .actions)
    var action: String

    @Argument(help: "The input.", completion: .input)
    var input: [String] = []

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if action.isEmpty { throw ValidationError("ACTION is empty.") }
        if key == "" { throw ValidationError("--key is empty.") }
        if each, !input.isEmpty { throw ValidationError("--each reads the inputs from stdin; remove INPUT.") }
        if detach, raw || strict || propagate {
            throw ValidationError("--detach does not wait for elements; remove --raw, --strict, and --propagate.")
        }
        if at != nil || delay != nil {
            if at != nil, delay != nil { throw ValidationError("--at and --in exclude each other.") }
            if each { throw ValidationError("--at and --in are for one input; remove --each.") }
            if raw || strict || propagate {
                throw ValidationError(
                    "--at and --in do not wait for elements; remove --raw, --strict, and --propagate.")
            }
        }
        if after == [""] { throw ValidationError("--after is empty.") }
        if after.count > 1 {
            throw ValidationError("--after may be given once: name an action to wait for all that it has in flight.")
        }
        if ifCompleted, after.isEmpty { throw ValidationError("--if-completed needs --after.") }
        try validateEach()
    }

    private func validateEach() throws {
        if !each, tag || keepOrder || resume != nil {
            throw ValidationError("--tag, --keep-order, and --resume need --each.")
        }
        if detach, keepOrder || resume != nil {
            throw ValidationError("--detach does not wait for the ends; remove --keep-order and --resume.")
        }
        if resume == "" { throw ValidationError("--resume is empty.") }
        if resume != nil, key != nil { throw ValidationError("--resume makes its own keys; remove --key.") }
        if let parallel {
            guard each, !detach else { throw ValidationError("--parallel needs --each, and excludes --detach.") }
            guard (1...LineRun.mostParallel).contains(parallel) else {
                throw ValidationError("--parallel must be 1 to \(LineRun.mostParallel).")
            }
        }
    }

    func run() throws {
        if each {
            let log = try resume.map { path throws(Ending) in try JobLog(path, action: action) }
            // A daemon that is restarted must not cost a line.
            return try DaemonSession.run(options, reconnecting: .forever) { session in
                session.names = NameArguments(.execute, [action])
                session.findExecutions(after) { found in
                    let after = found ?? after
                    session.optionNames = NameArguments(.after, after, option: "--after")
                    let lines = StdinLines(watch: session.watch, keepsText: tag)
                    LineRun(session, lines, lineOptions(after: after.first), log).start()
                }
            }
        }
        let startTime = try startTime()
        var request = request
        (request.input, request.key) = (try Input.read(input), key)
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.execute, [action])
            session.optionNames = NameArguments(.after, after, option: "--after") { ids in
                var resent = request
                resent.after = ids.first
                send(resent, at: startTime, session)
            }
            session.input = InputArguments(input, ofAction: action)
            send(request, at: startTime, session)
        }
    }

    private func send(_ request: ExecuteRequest, at startTime: Timestamp?, _ session: DaemonSession) {
        if let startTime { return session.schedule(request, at: startTime) }
        guard detach else { return follow(request, session) }
        session.detach(request) { reply in
            switch reply {
            case .success(let reply):
                if options.json {
                    session.print(reply)
                } else {
                    session.print(ExecuteReply(reply)?.execution ?? "")
                }
                session.finish()
            case .failure(let error): session.finish(Ending(error))
            }
        }
    }

    /// The time at which the work is to start; nil for at once.
    private func startTime() throws(Ending) -> Timestamp? {
        if let delay {
            let (seconds, attoseconds) = delay.duration.components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
            return Timestamp(milliseconds: Timestamp.now.milliseconds + milliseconds)
        }
        guard let at else { return nil }
        do throws(StartTimeFault) {
            return try StartTime(at).timestamp
        } catch {
            throw Ending.usage("--at: \(error.message)")
        }
    }

    /// Without the input and the key.
    var request: ExecuteRequest {
        var request = ExecuteRequest(
            action: action, onDisconnect: detach || resume != nil ? .detach : .cancel, timeout: timeout?.text)
        request.after = after.first
        request.ifCompleted = ifCompleted
        return request
    }

    /// - Parameter execution: what the lines wait for.
    private func lineOptions(after execution: String?) -> LineOptions {
        var options = LineOptions(request: request)
        options.request.after = execution
        options.parallel = parallel ?? options.parallel
        (options.isDetached, options.isTagged, options.keepsOrder) = (detach, tag, keepOrder)
        (options.key, options.resume) = (key, resume)
        options.style = style
        return options
    }

    var style: FollowedExecution.Style {
        FollowedExecution.Style(raw: raw, strict: strict, propagate: propagate)
    }

    private func follow(_ request: ExecuteRequest, _ session: DaemonSession) {
        let execution = FollowedExecution(session, style)
        execution.start(request, onStart: ExecuteCommand.explainDelay) { session.finish($0) }
        session.onInterrupt = {
            StandardStreams.note("canceling \(action); press Ctrl-C again to leave at once")
            execution.withdraw()
        }
    }

    /// Explains on a terminal why nothing is printed yet.
    private static func explainDelay(_ reply: ExecuteReply) {
        guard StandardStreams.errorIsTerminal else { return }
        switch reply.disposition {
        case .queued: StandardStreams.note("\(reply.execution) is queued")
        case .joined: StandardStreams.note("joined \(reply.execution), which is in flight")
        case .started, .scheduled, nil: break
        }
    }
}
