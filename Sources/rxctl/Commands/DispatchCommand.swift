internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct DispatchCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "dispatch",
        abstract: "Dispatches an action to a reactor, and prints the resulting revision.",
        usage: "rxctl dispatch [<options>] <reactor> <action> ...",
        discussion: """
            Returns when the action's mutations are reduced, and stored as durably as the reactor is configured. \
            Prints a sentence on a terminal; otherwise, and with --json, {"reactor":…,"revision":…}.
            """)

    @Argument(help: "The reactor's name.", completion: .reactors)
    var reactor: String

    @Argument(
        help: ArgumentHelp(
            "JSON, - (stdin), @FILE, or pairs key=text and key:=json; a single word is a string.",
            valueName: "action"))
    var action: [String]

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let params = RawJSON(["reactor": .string(reactor), "action": try Input.read(action)?.value() ?? .null])
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.dispatch, [reactor])
            session.input = InputArguments(action, ofReactor: reactor)
            session.call(.reactorDispatch, params) { result in
                if session.isForPrograms {
                    session.print(result)
                } else {
                    let revision = result.value()["revision"]?.int.map(String.init) ?? "?"
                    session.print("\(reactor) is at revision \(revision)")
                }
                session.finish()
            }
        }
    }
}
