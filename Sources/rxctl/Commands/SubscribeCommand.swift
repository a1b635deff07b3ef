internal import ArgumentParser
internal import Glibc
internal import RxClient
internal import RxProtocol

struct SubscribeCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Prints what actions, reactors or executions do, one JSON record a line, until interrupted.",
        discussion: """
            A record is an event as the daemon sends it: its channel, action or reactor, execution, time and cursor, and one \
            of value, patch and error. What a slow reader has lost is counted by a record of channel lag. The last one says why the \
            subscription ended.

            When the connection is lost, rxctl connects again and goes on after the last record; a record of channel \
            reconnect says so: with "resumed":true nothing was missed, otherwise nobody knows what was, and it holds the \
            state of things.

            With --cursor-file a reader that was stopped or killed goes on where it was. If stdout is a file that is appended \
            to, each record comes exactly once; if it is a pipe or a terminal, at least once.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp(
            "elements, errors, executing, enabled, executions; of reactors state, errors.",
            discussion: "Separated by commas. By default all but executions; an execution has no levels.",
            valueName: "channels"),
        completion: .list(ChannelList.names))
    var channels: ChannelList?

    @Option(
        help: ArgumentHelp(
            "Leave after that many records.", discussion: "The snapshot and reconnections are not counted."))
    var count: Int?

    @Option(help: ArgumentHelp("Leave after that long, with exit code 124.", valueName: "duration"))
    var timeout: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Leave after the first record for which this jq expression yields something else than false and null.",
            discussion: "The record is '.'; with --values the value is.", valueName: "expr"),
        transform: { try RecordCondition($0) })
    var until: RecordCondition?

    @Option(
        help: ArgumentHelp(
            "Where to begin: now, last, execution, a cursor or an execution's id.",
            discussion: """
                now: with what happens next. last: with the newest event of each channel. execution: with the start of \
                what is in flight. Otherwise after that cursor, or with that execution.
                """, valueName: "start"),
        completion: .list(["now", "last", "execution"]))
    var from: StartArgument?

    @Option(
        help: ArgumentHelp(
            "Begin where this file says, and keep it up to date.", discussion: "Its first line is the cursor.",
            valueName: "path"),
        completion: .file())
    var cursorFile: String?

    @Option(help: ArgumentHelp("Events that the daemon keeps while this reader is slow.", valueName: "events"))
    var buffer: Int?

    @Option(
        help: ArgumentHelp(
            "What it does with more: drop-oldest, drop-newest, end.", discussion: "By default it drops the oldest.",
            valueName: "policy"),
        completion: .list(OverflowArgument.names))
    var overflow: OverflowArgument?

    @Flag(name: .customLong("no-reconnect"), help: "Leave with exit code 69 when the connection is lost.")
    var staysDisconnected = false

    @Flag(help: "Print values alone; errors, losses and reconnections go to stderr.")
    var values = false

    @Flag(help: "Of reactors: tell how a state differs from the one before, as an RFC 6902 patch.")
    var patch = false

    @Flag(help: "Print the snapshot first, as {\"cursor\":…,\"snapshot\":…}.")
    var snapshot = false

    @Flag(help: "Leave with exit code 75 when events were lost, or may have been.")
    var strict = false

    @Argument(
        help: ArgumentHelp("Actions, '*' for all of them, reactors, or executions by their ids.", valueName: "name"),
        completion: .executionsAndActions)
    var names: [String]

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        if let buffer, buffer < 1 { throw ValidationError("--buffer must be at least 1.") }
        if names.contains("") { throw ValidationError("NAME is empty.") }
        if names.count > 1, names.contains("*") { throw ValidationError("'*' stands for all names and goes alone.") }
        if SubscribeRequest.Target(names: names) == nil {
            throw ValidationError("NAMEs are either all actions, all reactors or all executions.")
        }
        if from != nil, cursorFile != nil {
            throw ValidationError("--from and --cursor-file both say where to begin.")
        }
    }

    func run() throws {
        let file = try cursorFile.map { path throws(Ending) in try attachedCursorFile(path) }
        let request = request(cursor: file?.cursor)
        try DaemonSession.run(options, reconnecting: staysDisconnected ? nil : .forever) { session in
            session.output.cursorFile = file
            session.endWholeLinesOnly()
            PrintedSubscription(session, self, request).start()
        }
    }

    private func attachedCursorFile(_ path: String) throws(Ending) -> CursorFile {
        // A file at its largest size is a failure to be told, not a death by signal.
        signal(SIGXFSZ, SIG_IGN)
        let file = try CursorFile(path)
        if let remark = try file.attach(to: STDOUT_FILENO) { StandardStreams.note(remark) }
        return file
    }

    private func request(cursor: String?) -> SubscribeRequest {
        var request = SubscribeRequest(
            // Checked by `validate`.
            SubscribeRequest.Target(names: names) ?? .actions(names), channels: channels?.channels ?? [],
            start: cursor.map { .cursor($0) } ?? from?.start ?? .now, buffer: buffer, overflow: overflow?.overflow)
        if patch || channels?.channels.contains(.state) ?? false, case .actions(let names) = request.target {
            request.target = .reactors(names)
            request.patches = patch
        }
        return request
    }
}
