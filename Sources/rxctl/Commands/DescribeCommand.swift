internal import ArgumentParser
internal import RxJSON
internal import RxProtocol
internal import RxStreams

struct DescribeCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Describes an action, a reactor, or a stream.",
        usage: "rxctl describe [<options>] <name>\nrxctl describe --operators",
        discussion: """
            Prints a line for each member on a terminal; otherwise, and with --json, a JSON object. With --operators, \
            it prints all sources and operators of streams with their keys as text, or with --json as one JSON object \
            per line, and needs no daemon.
            """)

    @Argument(help: "The name of the action, the reactor, or the stream.", completion: .names)
    var name: String?

    @Flag(help: "Print all sources and operators of streams.")
    var operators = false

    @OptionGroup var tables: TableOptions

    var options: GlobalOptions { tables.options }

    func validate() throws {
        if operators, name != nil { throw ValidationError("--operators takes no name") }
        if !operators, name == nil { throw ValidationError("a name is missing") }
    }

    func run() throws {
        guard let name else {
            let lines =
                options.json
                ? ReferenceJSON.values.map(\.text) : ReferenceText.lines(columns: TerminalWidth.columns)
            for line in lines { try StandardStreams.printLine(line) }
            return
        }
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.describe, [name])
            session.call(
                firstOf: [
                    (.actionDescribe, RawJSON(["action": .string(name)])),
                    (.reactorDescribe, RawJSON(["reactor": .string(name)])),
                    (.streamDescribe, RawJSON(["stream": .string(name)])),
                ]
            ) { result, _ in
                session.printFacts(result, forPeople: tables.showsTable) { described in
                    StreamWhy.describing(described, at: StreamTable.now)
                }
                session.finish()
            }
        }
    }
}
