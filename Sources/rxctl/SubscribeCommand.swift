internal import ArgumentParser
internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct SubscribeCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Prints what actions do, one JSON record a line, until interrupted.",
        discussion: """
            A record is an event as the daemon sends it: its channel, action, execution, time and cursor, and one of \
            value and error. The last one says why the subscription ended.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp(
            "elements, errors, executing, enabled, executions.",
            discussion: "Separated by commas. By default the first four.", valueName: "channels"))
    var channels: ChannelList?

    @Option(help: "Leave after that many records.")
    var count: Int?

    @Option(help: ArgumentHelp("Leave after that long, with exit code 124.", valueName: "duration"))
    var timeout: DurationArgument?

    @Flag(help: "Print values alone; errors and losses go to stderr.")
    var values = false

    @Flag(help: "Print the snapshot first, as {\"cursor\":…,\"snapshot\":…}.")
    var snapshot = false

    @Flag(help: "Leave with exit code 75 when events were lost.")
    var strict = false

    @Argument(help: ArgumentHelp("Actions, or '*' for all.", valueName: "name"), completion: .actions)
    var names: [String]

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        if names.contains("") { throw ValidationError("NAME is empty.") }
        if names.count > 1, names.contains("*") { throw ValidationError("'*' stands for all names and goes alone.") }
    }

    func run() throws {
        try DaemonSession.run(options) { session in
            FollowedSubscription(session, self).start()
        }
    }
}

/// `--channel a,b`
struct ChannelList: ExpressibleByArgument {
    let channels: [Channel]

    init?(argument: String) {
        var channels: [Channel] = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let channel = Channel(rawValue: String(name)), channel != .end, channel != .lag else { return nil }
            channels.append(channel)
        }
        self.channels = channels
    }
}

/// Prints a subscription's records and ends the session with it.
private final class FollowedSubscription {
    private let session: DaemonSession
    private let command: SubscribeCommand
    private var printed = 0

    init(_ session: DaemonSession, _ command: SubscribeCommand) {
        self.session = session
        self.command = command
    }

    func start() {
        session.connection.subscribe(
            SubscribeRequest(actions: command.names, channels: command.channels?.channels ?? []), onEvent: receive,
            completion: session.succeed { [self] reply in
                if command.snapshot { session.print(reply.without("subscription")) }
            })
        if let timeout = command.timeout {
            session.schedule(after: timeout.duration) { [session] in
                session.finish(
                    Ending(
                        outcome: .timedOut, message: .text("timed out after \(timeout.text)"),
                        facts: ["name": .string(ErrorCode.timedOut.name)]))
            }
        }
    }

    private func receive(_ delivery: StreamDelivery) {
        switch delivery {
        case .lost(let error):
            session.finish(Ending(error))
        case .event(let event):
            if command.values { printValue(event) } else { print(event.record) }
            if event.channel == .end {
                session.finish(.ended(event.endReason ?? .completed))
            } else if event.channel == .lag, command.strict {
                session.finish(Ending(outcome: .eventsLost))
            }
        }
    }

    private func printValue(_ event: StreamEvent) {
        switch event.channel {
        case .lag, .end:
            StandardStreams.writeError(event.record.text + "\n")
        case .elements, .errors, .executing, .enabled, .executions, .state:
            if let value = event.value {
                print(value)
            } else {
                StandardStreams.writeError(event.record.text + "\n")
            }
        }
    }

    private func print(_ json: RawJSON) {
        session.print(json)
        printed += 1
        if printed == command.count { session.finish() }
    }
}

extension RawJSON {
    /// An object without one of its members.
    func without(_ key: String) -> RawJSON {
        guard var object = value().object else { return self }
        object[key] = nil
        return RawJSON(.object(object))
    }
}
