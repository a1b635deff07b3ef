internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct SendCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Sends an element to a stream whose source is `subject = true`.",
        usage: "rxctl send [<options>] <stream> [<element> ...]",
        discussion: """
            Returns when the stream has the element. Prints nothing on a terminal; with --json, {"stream":…}.
            """)

    @Argument(help: "The stream's name.", completion: .streams)
    var stream: String

    @Argument(
        help: ArgumentHelp(
            "JSON, - (stdin), @FILE, or pairs key=text and key:=json; a single word is a string. Null if absent.",
            valueName: "element"))
    var element: [String] = []

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let params = RawJSON(["stream": .string(stream), "element": try Input.read(element)?.value() ?? .null])
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.send, [stream])
            session.call(.streamSend, params) { result in
                if options.json { session.print(result) }
                session.finish()
            }
        }
    }
}
