internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct FireCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "fire",
        abstract: "Emits an element in place of a stream's source, to try out what follows.",
        usage: "rxctl fire [<options>] <stream> [<element> ...]",
        discussion: """
            Needs the right to manage the stream. Without an element, a schedule emits the element of a slot that is \
            now, which counts as none of its slots; any other source emits {"fired":TIME}. `rxctl why STREAM` prints \
            what became of it. On a terminal, prints a note of that; with --json, {"stream":…}.
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
        params["element"] = try Input.read(element)?.value()
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.send, [stream])
            session.call(.streamFire, RawJSON(.object(params))) { result in
                if options.json {
                    session.print(result)
                } else if !session.isForPrograms {
                    session.note("\(stream) has the element; `rxctl why \(stream)` prints what became of it")
                }
                session.finish()
            }
        }
    }
}
