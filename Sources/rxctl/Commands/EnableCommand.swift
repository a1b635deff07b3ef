internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct EnableCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Switches an action on again, and prints whether it is enabled now.",
        usage: "rxctl enable [<options>] <action>",
        discussion: "Reverts `disable`. Other causes, such as work in flight or the action's condition, still apply.")

    @Option(help: ArgumentHelp("The reason, for the daemon's log.", valueName: "text"))
    var reason: String?

    @Argument(help: "The action's name.", completion: .actions)
    var action: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { $0.setSwitch(.actionEnable, of: action, reason) }
    }
}

extension DaemonSession {
    /// `action.enable` or `action.disable`.
    func setSwitch(_ method: Method, of action: String, _ reason: String?) {
        var params: JSONObject = ["action": .string(action)]
        params["reason"] = reason.map(JSONValue.string)
        call(method, RawJSON(.object(params))) { [self] result in
            printEnabled(result, of: action)
            finish()
        }
    }
}
