internal import ArgumentParser
internal import RxJSON

struct CheckCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says what `execute` would answer now, and starts nothing.",
        discussion: """
            Exit status 0 if the input would be taken, otherwise that of `execute`. A sentence on a terminal; otherwise, \
            and with --json, one JSON object whose `disposition` is started, queued or joined.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The action's name.", completion: .actions)
    var action: String

    @Argument(help: "Its input, in any of the forms of `execute`.", completion: .input)
    var input: [String] = []

    func run() throws {
        var params: JSONObject = ["action": .string(action)]
        params["input"] = try Input.read(input)?.value()
        try DaemonSession.run(options) { session in
            session.call("action.check", RawJSON(.object(params))) { result in
                session.print(session.isForPrograms ? result.text : CheckCommand.sentence(action, result.value()))
                session.finish()
            }
        }
    }

    static func sentence(_ action: String, _ answer: JSONValue) -> String {
        switch answer["disposition"]?.string {
        case "started": "\(action) would start"
        case "queued": "\(action) would wait for its turn"
        case "joined": "\(action) would join \(answer["execution"]?.string ?? "the execution in flight")"
        case let other: "\(action): \(other ?? RawJSON(answer).text)"
        }
    }
}
