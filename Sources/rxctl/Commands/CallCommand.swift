internal import ArgumentParser
internal import RxJSON

struct CallCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Calls any method of the protocol and prints its result.",
        discussion: """
            PARAMS is a JSON object or array, in any of the forms of INPUT: JSON, -, @FILE, key=text and key:=json.
            `rxctl call rpc.discover` describes all methods.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The method's name.")
    var method: String

    @Argument(help: "Its params.")
    var params: [String] = []

    func run() throws {
        let params = try Input.read(params)
        if let first = params?.utf8.first, first != UInt8(ascii: "{"), first != UInt8(ascii: "[") {
            throw Ending.inputRefused("PARAMS must be a JSON object or array")
        }
        try DaemonSession.run(options) { session in
            session.call(method, params) { result in
                session.print(result)
                session.finish()
            }
        }
    }
}
