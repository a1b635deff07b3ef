internal import ArgumentParser
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct RetryCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Executes again what has failed, with the inputs in the history.",
        usage: "rxctl retry [<options>] <action-or-execution>",
        discussion: """
            For an action: each input whose last execution failed, timed out, was interrupted, or was canceled by a \
            stop of the daemon is executed once, oldest failure first. An input that has completed since, or is in \
            flight, is left out, so that the command is harmless to repeat. An execution that somebody canceled does \
            not count. For an execution: its input is executed again, however it has ended.

            The output is that of `execute --each`: elements on stdout, failures on stderr with the id of the earlier \
            execution, and the exit status of the first input that failed. With --json, each record has "retried", \
            the id of the earlier execution. An input of more than 4096 bytes, or with a value that the schema marks \
            writeOnly, is not in the history, and is reported as refused.

            Exits with 0 if there is nothing to retry, and with 5 if no execution is kept.
            """)

    @Option(
        help: ArgumentHelp(
            "Only executions that were accepted at this time or later count: 10m (ago), 2026-11-22T03:00.",
            valueName: "time"),
        transform: { try PastTime.parse($0) })
    var since: PastTime?

    @Option(
        help: ArgumentHelp("Longest time that the work may take.", valueName: "duration"),
        transform: { try DurationArgument.parse($0) })
    var timeout: DurationArgument?

    @Option(help: ArgumentHelp("Keep this many executions in flight.", valueName: "count"))
    var parallel = 1

    @Flag(help: "Print the ids and exit; the executions go on.")
    var detach = false

    @Flag(help: "Print the input and a tab before each line of output; with --json, as a member.")
    var tag = false

    @Flag(help: "Print the output in the order of the inputs.")
    var keepOrder = false

    @Flag(help: "Print strings without their quotes.")
    var raw = false

    @Argument(
        help: ArgumentHelp("An action's name, or an execution's id.", valueName: "action-or-execution"),
        completion: .executionsAndActions)
    var target: String

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if target.isEmpty { throw ValidationError("The name is empty.") }
        if detach, keepOrder || raw {
            throw ValidationError("--detach does not wait for the ends; remove --keep-order and --raw.")
        }
        guard (1...LineRun.mostParallel).contains(parallel) else {
            throw ValidationError("--parallel must be 1 to \(LineRun.mostParallel).")
        }
        if parallel != 1, detach { throw ValidationError("--parallel excludes --detach.") }
    }

    func run() throws {
        // A daemon that is restarted must not cost a line.
        try DaemonSession.run(options, reconnecting: .forever) { session in
            session.names = NameArguments(.retry, [target]) { start($0[0], session) }
            start(target, session)
        }
    }

    private func start(_ target: String, _ session: DaemonSession) {
        if let id = ExecutionArgument.id(target) {
            retry(execution: id, session)
        } else {
            retry(action: target, session)
        }
    }

    private func retry(action: String, _ session: DaemonSession) {
        var selection: JSONObject = ["action": .string(action)]
        selection["since"] = since.map { .string($0.timestamp.description) }
        let list = ListedExecutions(session, selection, limit: nil)
        var inputs = FailedInputs()
        list.onRecords = { records, goOn in
            for record in records { inputs.add(record) }
            goOn()
        }
        list.onEnd = { _ in
            guard inputs.executions > 0 else {
                return session.finish(.notKept("no execution of \(action) is kept", action: action))
            }
            let lines = inputs.lines()
            if lines.isEmpty {
                session.note("nothing to retry: no input's last execution failed")
            }
            execute(lines, action, session)
        }
        list.start()
    }

    private func retry(execution id: String, _ session: DaemonSession) {
        session.call(.executionGet, RawJSON(["execution": .string(id)])) { result in
            let record = result.value()
            let state = record["state"]?.string ?? ""
            guard StateList.ended.contains(state) else {
                return session.finish(.inputRefused("\(id) is \(state); rxctl wait \(id) waits for its end"))
            }
            let line = EachLine(1, retrying: record["input"].map { RawJSON($0) }, of: id)
            execute([line], record["action"]?.string ?? "", session)
        }
    }

    private func execute(_ lines: [EachLine], _ action: String, _ session: DaemonSession) {
        let request = ExecuteRequest(
            action: action, onDisconnect: detach ? .detach : .cancel, timeout: timeout?.text)
        var options = LineOptions(request: request)
        (options.parallel, options.isDetached, options.isTagged) = (parallel, detach, tag)
        options.keepsOrder = keepOrder
        options.style = FollowedExecution.Style(raw: raw)
        LineRun(session, RetriedLines(lines), options).start()
    }
}
