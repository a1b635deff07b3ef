internal import ArgumentParser
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct WhyCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract:
            "Prints why an action is disabled, what led to an execution, or what a stream has done.",
        usage: "rxctl why [<options>] <target>",
        discussion: """
            For an action: whether it is enabled, and the reason if it is not; which of its streams are disabled; \
            when it starts next; and its last firings. Use `check` in conditions. For an \
            execution's id: its chain of causes, the nearest first and the origin last, such as a rule of a reactor \
            and the user who dispatched to it. For a stream: why it waits or when it is due, how many elements each \
            step has let through, and its last firings.

            Prints text on a terminal; otherwise, and with --json, a JSON object. The exit status is 0 in all these \
            cases.
            """)

    @Argument(help: "The name of an action or a stream, or an execution's id.", completion: .anything)
    var target: String

    @OptionGroup var tables: TableOptions

    var options: GlobalOptions { tables.options }

    func run() throws {
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.why, [target]) { explain($0[0], session) }
            explain(target, session)
        }
    }

    private func explain(_ name: String, _ session: DaemonSession) {
        if let id = ExecutionArgument.id(name) {
            return session.call(.executionGet, RawJSON(["execution": .string(id)])) { record in
                session.printCauses(of: record, forPeople: tables.showsTable)
                session.finish()
            }
        }
        session.call(
            firstOf: [
                (.actionDescribe, RawJSON(["action": .string(name)])),
                (.streamDescribe, RawJSON(["stream": .string(name)])),
            ]
        ) { result, method in
            if method == .actionDescribe {
                session.printEnabled(result, of: name, forPeople: tables.showsTable)
                if tables.showsTable { return explain(action: result.value(), name, session) }
            } else if !tables.showsTable {
                session.print(result)
            } else {
                return explain(stream: result.value(), session)
            }
            session.finish()
        }
    }

    /// Adds what comes next, and which of the streams that start the action are disabled.
    private func explain(action: JSONValue, _ name: String, _ session: DaemonSession) {
        session.link.call(.streamList, RawJSON([:])) { reply in
            // A daemon may have no streams.
            var streams: [JSONValue] = []
            if case .success(let result) = reply { streams = result.value()["streams"]?.array ?? [] }
            let now = StreamTable.now
            for line in ActionWhy.disabledStreams(of: name, among: streams, at: now) + ActionWhy.lines(action, at: now)
            {
                session.print(wrapped: line)
            }
            session.finish()
        }
    }

    /// Adds why an action that the stream starts is disabled.
    private func explain(stream: JSONValue, _ session: DaemonSession) {
        for line in StreamWhy.lines(stream, at: StreamTable.now) { session.print(wrapped: line) }
        session.link.call(.streamList, RawJSON(["graph": true])) { reply in
            // An older daemon has no graph.
            if case .success(let result) = reply {
                let actions = result.value()["actions"]?.array ?? []
                for line in StreamWhy.targets(of: stream, among: actions) { session.print(wrapped: line) }
            }
            session.finish()
        }
    }
}
