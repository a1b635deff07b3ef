internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct FireCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "fire",
        abstract: "Emits an element in place of a stream's source, to try out what follows.",
        usage: "rxctl fire [<options>] <stream> [<element> ...]",
        discussion: """
            Needs the right to manage the stream. Without an element, {"fired":TIME} is emitted. `rxctl why STREAM` \
            prints what became of it.
            """)

    @Argument(help: "The stream's name.", completion: .streams)
    var stream: String

    @Argument(
        help: ArgumentHelp(
            "JSON, - (stdin), @FILE, or pairs key=text and key:=json; a single word is a string.",
            valueName: "element"))
    var element: [String] = []

    @OptionGroup var options: GlobalOptions

    func run() throws {
        var params: JSONObject = ["stream": .string(stream)]
        if !element.isEmpty { params["element"] = try ElementArgument.value(element) }
        try DaemonSession.run(options) { session in
            session.call(.streamFire, RawJSON(.object(params))) { result in
                if options.json { session.print(result) }
                session.finish()
            }
        }
    }
}
