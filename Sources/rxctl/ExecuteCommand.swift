internal import ArgumentParser
internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct ExecuteCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "execute",
        abstract: "Executes an action and prints its elements, one a line, as they come.",
        discussion: """
            INPUT is JSON, - (JSON from stdin), @FILE (JSON from a file), or pairs: key=text and key:=json.
            Ctrl-C cancels the execution and waits for its end; a second one leaves at once. The execution is also \
            cancelled when rxctl goes away otherwise.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: ArgumentHelp("Longest the work may take.", valueName: "duration"))
    var timeout: DurationArgument?

    @Flag(help: "Print strings without their quotes.")
    var raw = false

    @Flag(help: "Exit 75 if elements were lost on the way.")
    var strict = false

    @Argument(help: "The action's name.")
    var action: String

    @Argument(help: "Its input.")
    var input: [String] = []

    func validate() throws {
        guard !action.isEmpty else { throw ValidationError("ACTION is empty.") }
    }

    func run() throws {
        let request = ExecuteRequest(
            action: action, input: try Input.read(input), onDisconnect: .cancel, timeout: timeout?.text)
        try DaemonSession.run(options) { session in
            FollowedExecution(session, raw: raw, strict: strict).start(request)
        }
    }
}

/// Prints one execution's elements and ends the session with its end.
private final class FollowedExecution {
    private let session: DaemonSession
    private let raw: Bool
    private let strict: Bool
    private var error: RPCError?
    private var hasLost = false
    private var isInterrupted = false

    init(_ session: DaemonSession, raw: Bool, strict: Bool) {
        self.session = session
        self.raw = raw
        self.strict = strict
    }

    func start(_ request: ExecuteRequest) {
        let stream = session.connection.execute(
            request, onEvent: receive,
            completion: { [self] reply in
                guard case .failure(let error) = reply else { return }
                session.finish(isInterrupted ? .interrupted : Ending(error))
            })
        session.onInterrupt = { [self] in
            isInterrupted = true
            StandardStreams.note("cancelling \(request.action); once more to leave at once")
            // Withdraws this requester. Refused if the execution has just ended, and then `end` is on its way.
            session.connection.unsubscribe(stream)
        }
    }

    private func receive(_ delivery: StreamDelivery) {
        switch delivery {
        case .lost(let error):
            session.finish(Ending(error))
        case .event(let event):
            switch event.channel {
            case .elements:
                if let value = event.value { print(value) }
            case .errors:
                if case .error(let error) = event.content { self.error = error }
            case .lag:
                hasLost = true
                StandardStreams.note("elements were lost: \(event.value?.text ?? "")")
            case .end:
                session.finish(ending(event))
            case .executing, .enabled, .executions, .state:
                break
            }
        }
    }

    private func print(_ value: RawJSON) {
        if raw, let text = value.value().string {
            session.print(text)
        } else {
            session.print(value)
        }
    }

    private func ending(_ event: StreamEvent) -> Ending {
        guard !isInterrupted else { return .interrupted }
        let reason = event.endReason ?? .failed
        switch reason {
        case .completed:
            return hasLost && strict ? Ending(outcome: .eventsLost) : .done
        case .failed, .cancelled, .timedOut:
            return error.map(Ending.refused) ?? .ended(reason)
        case .unsubscribed, .removed, .shutdown, .limit, .revoked:
            return .ended(reason)
        }
    }
}
