internal import ArgumentParser
internal import RxJSON

struct EnableCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Switches an action on again, and prints whether it is enabled now.",
        discussion: "Takes back a `disable`. What else is against the action (work in flight, its condition) stays.")

    @OptionGroup var options: GlobalOptions

    @Option(help: ArgumentHelp("Why, for the daemon's log.", valueName: "text"))
    var reason: String?

    @Argument(help: "The action's name.", completion: .actions)
    var action: String

    func run() throws {
        try DaemonSession.run(options) { $0.setSwitch("action.enable", of: action, reason) }
    }
}

extension DaemonSession {
    /// `action.enable` or `action.disable`.
    func setSwitch(_ method: String, of action: String, _ reason: String?) {
        var params: JSONObject = ["action": .string(action)]
        params["reason"] = reason.map(JSONValue.string)
        call(method, RawJSON(.object(params))) { [self] result in
            printEnabled(result, of: action)
            finish()
        }
    }
}
