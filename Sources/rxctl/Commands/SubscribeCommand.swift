internal import ArgumentParser
internal import Glibc
internal import RxClient
internal import RxProtocol

struct SubscribeCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Prints the events of actions, reactors, streams, or executions, one per line.",
        usage: "rxctl subscribe [<options>] <name> ...",
        discussion: """
            On a terminal, an event is a line with its time, name, channel, the last 8 characters of its execution's \
            id, and its value, cut to fit. Otherwise, and with --json, it is a JSON record.

            A record is an event as the daemon sends it: its channel, action, reactor, or stream, execution, time, \
            and cursor, and one of value, patch, and error. A record of the channel lag counts the events that a \
            slow reader lost, or the elements that a stream dropped. The last record, of the channel end, names the \
            reason of the end; --past leaves it out.

            When the connection is lost, rxctl connects again as soon as the daemon is back, and continues after the \
            last record. A record of the channel reconnect reports it, on stdout if --channel has reconnect, \
            otherwise on stderr. With "resumed":true no event is missing; otherwise an unknown number is, and the \
            record has a snapshot of the present state.

            With --cursor-file, a reader that was stopped or killed continues where it stopped. If stdout is a file \
            that is appended to, each record is written exactly once; if it is a pipe or a terminal, at least once.
            """)

    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp(
            """
            For actions elements, errors, executing, enabled, executions; for reactors state, errors; for streams \
            elements, errors, firings, lag; reconnect. state makes '*' all reactors, firings all streams.
            """,
            discussion: "Separated by commas. Default: all but executions and reconnect.",
            valueName: "channels"),
        completion: .list(ChannelList.names))
    var channels: ChannelList?

    @Option(
        help: ArgumentHelp(
            "Exit after this many records.", discussion: "The snapshot and reconnections are not counted."))
    var count: Int?

    @Option(
        help: ArgumentHelp("Exit with 124 after this time.", valueName: "duration"),
        transform: { try DurationArgument.parse($0) })
    var timeout: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Exit after the first record for which this jq expression yields something other than false and null.",
            discussion: "The expression's input is the record; with --values, the value.", valueName: "expr"),
        transform: { try RecordCondition($0) })
    var until: RecordCondition?

    @Option(
        help: ArgumentHelp(
            "Where to begin: now, last, start, execution, a time, a cursor, or an execution's id.",
            discussion: """
                now: the next event. last: the newest event of each channel. start: the oldest event that is kept. \
                execution: the start of the executions in flight. A time: 10m ago, 2026-11-22T03:00, or \
                2026-11-22T03:00Z. A cursor: the event after it. An id: the acceptance of that execution.
                """, valueName: "start"),
        completion: .list(["now", "last", "start", "execution"]))
    var from: StartArgument?

    @Flag(
        help: ArgumentHelp(
            "Print the events that are kept, and exit.",
            discussion: "From the oldest on, unless --from or --cursor-file states where to begin."))
    var past = false

    @Option(
        help: ArgumentHelp(
            "Begin at the cursor in this file, and keep the file up to date.",
            discussion: "Its first line is the cursor. Without a cursor, --from states where to begin.",
            valueName: "path"),
        completion: .file())
    var cursorFile: String?

    @Option(help: ArgumentHelp("How many events the daemon keeps while this reader is slow.", valueName: "events"))
    var buffer: Int?

    @Option(
        help: ArgumentHelp(
            "What it does with more events: drop-oldest, drop-newest, end.",
            discussion: "Default: drop-oldest.",
            valueName: "policy"),
        completion: .list(OverflowArgument.names))
    var overflow: OverflowArgument?

    @Option(
        help: ArgumentHelp(
            "For one stream: print what leaves this step, such as 2.1; 0 is the source.",
            discussion: "The steps are in `rxctl describe`.", valueName: "place"))
    var step: String?

    @Flag(name: .customLong("no-reconnect"), help: "Exit with 69 when the connection is lost.")
    var staysDisconnected = false

    @Flag(help: "Print values alone; errors, losses, and reconnections go to stderr.")
    var values = false

    @Flag(help: "For reactors: print changes of the state as RFC 6902 patches.")
    var patch = false

    @Flag(help: "Print the snapshot first, as {\"cursor\":…,\"snapshot\":…}.")
    var snapshot = false

    @Flag(help: "Exit with 75 when events were lost, or may have been.")
    var strict = false

    @Argument(
        help: ArgumentHelp(
            "Names of actions, '*' for all actions, names of reactors or streams, or ids of executions.",
            valueName: "name"),
        completion: .anything)
    var names: [String]

    @OptionGroup var tables: TableOptions

    var options: GlobalOptions { tables.options }

    /// Whether records are lines for people. Values alone stay as they are, and so does what a cursor file follows.
    var showsLines: Bool { tables.showsTable && !values && cursorFile == nil }

    /// Whether reconnections are records like events.
    var showsReconnections: Bool { !values && channels?.hasReconnections == true }

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        if let buffer, buffer < 1 { throw ValidationError("--buffer must be at least 1.") }
        if case .time(let time)? = from?.start, time.milliseconds > Timestamp.now.milliseconds {
            throw ValidationError("--from is a time in the future, \(time); events are kept of the past.")
        }
        if names.contains("") { throw ValidationError("NAME is empty.") }
        if names.count > 1, names.contains("*") { throw ValidationError("'*' stands for all actions and goes alone.") }
        if step != nil, names.count > 1 || names.contains("*") { throw ValidationError("--step is for one stream.") }
        if tables.format == .table, values || cursorFile != nil {
            throw ValidationError("--format table prints records for people; remove --values and --cursor-file.")
        }
    }

    func run() throws {
        let file = try cursorFile.map { path throws(Ending) in try attachedCursorFile(path) }
        try DaemonSession.run(options, reconnecting: staysDisconnected ? nil : .forever) { session in
            session.output.cursorFile = file
            session.endWholeLinesOnly()
            func start(_ names: [String]) {
                guard let target = SubscribeRequest.Target(names: names) else {
                    return session.finishUnknown(NameArguments(.subscribe, names) { start($0) }, orElse: "")
                }
                PrintedSubscription(session, self, request(target, cursor: file?.cursor)).start()
            }
            session.names = NameArguments(.subscribe, names) { start($0) }
            start(names)
            if let timeout { session.timeOut(after: timeout) }
        }
    }

    private func attachedCursorFile(_ path: String) throws(Ending) -> CursorFile {
        // Writing beyond the largest file size is an error to report, not a death by signal.
        signal(SIGXFSZ, SIG_IGN)
        let file = try CursorFile(path)
        if let remark = try file.attach(to: STDOUT_FILENO, isOfRecords: !values) { StandardStreams.note(remark) }
        return file
    }

    /// The request for what the names are taken for first.
    func request(_ target: SubscribeRequest.Target, cursor: String?) -> SubscribeRequest {
        var request = SubscribeRequest(
            target,
            from: cursor.map { .cursor($0) } ?? from?.start ?? (past ? .start : .now), buffer: buffer,
            overflow: overflow?.overflow)
        request.endsCaughtUp = past
        if cursor != nil { request.fallback = from?.start }
        if patch || channels?.channels.contains(.state) ?? false, case .action(let names) = request.target {
            request.target = .reactor(names)
            request.patch = patch
        }
        request.step = step
        // Losses come without `lag` too, so it does not decide beside other channels.
        let channels = channels?.channels ?? []
        let isOfStreams = step != nil || channels.contains(.firings) || channels == [.lag]
        if isOfStreams, case .action(let names) = request.target {
            request.target = .stream(names)
        }
        request.channels = self.channels(for: request.target)
        return request
    }

    /// The channels to request. The losses that `lag` has are those within streams; those of a subscription always
    /// come.
    func channels(for target: SubscribeRequest.Target) -> [Channel] {
        let all = channels?.channels ?? []
        switch target {
        case .stream: return all
        case .action, .reactor, .execution: return all.filter { $0 != .lag }
        }
    }
}
