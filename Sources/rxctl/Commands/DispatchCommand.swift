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
        let params = RawJSON(["reactor": .string(reactor), "action": try value()])
        try DaemonSession.run(options) { session in
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

    private func value() throws(Ending) -> JSONValue {
        // `rxctl dispatch light toggle` needs no quotes within quotes.
        if action.count == 1, let word = action.first, DispatchCommand.isWord(word) { return .string(word) }
        return try Input.read(action)?.value() ?? .null
    }

    /// Whether `text` is a letter followed by letters, digits, `_`, and `-`, and not a word of JSON.
    static func isWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first), !["true", "false", "null"].contains(text) else {
            return false
        }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
