internal import ArgumentParser
internal import RxClient
internal import RxJSON
internal import RxPictures
internal import RxProtocol

struct MarblesCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "marbles",
        abstract: "Draws what has happened at a stream, over time.",
        usage: "rxctl marbles [<options>] <stream>",
        discussion: """
            The first lane has the elements and errors of the stream. Each action and reactor that the stream gives \
            elements to has a lane with its firings: what became of each element. Beneath are the executions that the \
            stream has started, from their start to their end. Where nothing happens for long, time is collapsed.

            Drawn is what the daemon still has: the last elements and errors, for those who may subscribe to the \
            stream, with a gap for elements that it has forgotten; at least the last 20 firings of each `on`; and the \
            executions on record. Of a stream with persist, elements and errors from before a restart are drawn too. \
            With --json, prints the events, the firings, and the records \
            instead, one per line.
            """)

    @Argument(help: "The stream's name.", completion: .streams)
    var stream: String

    @Option(
        help: ArgumentHelp("How far back the picture goes; 10m by default.", valueName: "duration"),
        transform: { try DurationArgument.parse($0) })
    var last = DurationArgument.tenMinutes

    @Option(name: .shortAndLong, help: ArgumentHelp("What to print: text or svg.", valueName: "format"))
    var format = MarblesFormat.text

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.marbles, [stream])
            session.call(.streamDescribe, RawJSON(["stream": .string(stream)])) { result in
                let start = StreamTable.now - last.milliseconds
                PastEvents(session, of: stream) { events in
                    var marbles = StreamMarbles(result.value())
                    switch events {
                    case .success(let events): marbles.add(events: events.map { $0.record.value() }, since: start)
                    case .failure(let error):
                        session.note("the elements of \(stream) are left out: \(error.description)")
                    }
                    if marbles.isIncomplete { session.note("the daemon no longer keeps older elements of \(stream)") }
                    draw(marbles, result.value(), since: start, in: session)
                }.read()
            }
        }
    }

    private func draw(_ marbles: StreamMarbles, _ description: JSONValue, since start: Int64, in session: DaemonSession)
    {
        PastExecutions(session, since: start).read { records in
            var marbles = marbles
            marbles.add(records: records)
            print(marbles, description, from: start, to: StreamTable.now, in: session)
            session.finish()
        }
    }

    private func print(
        _ marbles: StreamMarbles, _ description: JSONValue, from start: Int64, to end: Int64, in session: DaemonSession
    ) {
        if options.json {
            for row in marbles.rows { session.print(RawJSON(row)) }
            return
        }
        let picture = marbles.marbles(from: start, to: end)
        switch format {
        case .text:
            session.print(picture: picture.text(width: TerminalWidth.columns))
            session.print("")
            session.print(StreamWhy.state(description, at: end))
        case .svg: session.print(picture: picture.svg())
        }
    }
}

/// `-f svg`
enum MarblesFormat: String, ExpressibleByArgument, CaseIterable {
    case text, svg
}

/// The executions of a time: those that were accepted in it, and those in flight.
private struct PastExecutions {
    private let session: DaemonSession
    private let since: Int64

    /// - Parameter since: in milliseconds since 1970.
    init(_ session: DaemonSession, since: Int64) {
        self.session = session
        self.since = since
    }

    /// Reads the records, at most `Limits.listed` of each kind, the newest ones.
    func read(then body: @escaping ([JSONValue]) -> Void) {
        let time = Timestamp(milliseconds: since).description
        list(["since": .string(time)]) { recent in
            list(["state": ["queued", "executing"]]) { present in body(recent + present) }
        }
    }

    private func list(_ selection: JSONObject, then body: @escaping ([JSONValue]) -> Void) {
        var records: [JSONValue] = []
        let list = ListedExecutions(session, selection, limit: Limits.listed)
        list.onRecords = { page, goOn in
            records += page
            goOn()
        }
        list.onEnd = { hasOlder in
            if hasOlder { session.note("older executions are left out; shorten --last") }
            body(records)
        }
        list.start()
    }
}

extension DurationArgument {
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
