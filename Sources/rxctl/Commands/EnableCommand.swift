internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct EnableCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Switches an action or a stream on again, and prints whether it is enabled now.",
        usage: "rxctl enable [<options>] <name>",
        discussion: """
            Reverts `disable`. Other causes, such as work in flight or a condition, still apply. Times that a stream \
            has missed while it was disabled are not owed, and what was paused for a loop continues.
            """)

    @Option(help: ArgumentHelp("The reason, for the daemon's log.", valueName: "text"))
    var reason: String?

    @Argument(help: "The name of an action or a stream.", completion: .actionsAndStreams)
    var name: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { $0.setSwitch([.actionEnable, .streamEnable], of: name, reason) }
    }
}

extension DaemonSession {
    /// Enables or disables an action, or a stream if there is no such action.
    ///
    /// - Parameter methods: that of actions, then that of streams.
    func setSwitch(_ methods: [Method], of name: String, _ reason: String?) {
        let requests = zip(methods, ["action", "stream"]).map { method, key in
            var params: JSONObject = [key: .string(name)]
            params["reason"] = reason.map(JSONValue.string)
            return (method: method, params: RawJSON(.object(params)))
        }
        names = NameArguments(.toggle, [name])
        call(firstOf: requests) { [self] result, method in
            if method == methods[0] {
                printEnabled(result, of: name)
            } else if isForPrograms {
                print(result)
            } else {
                print(StreamWhy.state(result.value()))
            }
            finish()
        }
    }
}
