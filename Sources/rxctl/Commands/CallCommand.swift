internal import ArgumentParser
internal import RxJSON

struct CallCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Calls a method of the protocol and prints its result.",
        usage: "rxctl call [<options>] <method> [<params> ...]",
        discussion: """
            PARAMS is a JSON object or array in any of the forms of INPUT: JSON, - (stdin), @FILE, or pairs key=text \
            and key:=json. `rxctl call rpc.discover` describes all methods.
            """)

    @Argument(help: "The method's name.")
    var method: String

    @Argument(help: "Its parameters.")
    var params: [String] = []

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let params = try Input.read(params)
        if let first = params?.utf8.first, first != UInt8(ascii: "{"), first != UInt8(ascii: "[") {
            throw Ending.inputRefused("PARAMS is not a JSON object or array")
        }
        try DaemonSession.run(options) { session in
            session.call(unchecked: method, params) { result in
                session.print(result)
                session.finish()
            }
        }
    }
}
