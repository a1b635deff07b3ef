internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct CheckCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reports what `execute` would answer now, without starting anything.",
        usage: "rxctl check [<options>] <action> [<input> ...]",
        discussion: """
            Exits with 0 if the input would be accepted, otherwise as `execute` would. Prints a sentence on a \
            terminal; otherwise, and with --json, a JSON object whose `disposition` is started, queued, or joined.
            """)

    @Argument(help: "The action's name.", completion: .actions)
    var action: String

    @Argument(help: "The input, in any of the forms of `execute`.", completion: .input)
    var input: [String] = []

    @OptionGroup var options: GlobalOptions

    func run() throws {
        var params: JSONObject = ["action": .string(action)]
        params["input"] = try Input.read(input)?.value()
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.check, [action])
            session.input = InputArguments(input, ofAction: action)
            session.call(.actionCheck, RawJSON(.object(params))) { result in
                if session.isForPrograms {
                    session.print(result)
                } else {
                    session.print(CheckCommand.sentence(action, result.value()))
                }
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
