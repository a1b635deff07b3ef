internal import ArgumentParser
internal import RxJSON

struct DispatchCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "dispatch",
        abstract: "Gives a reactor an action, and prints the revision that it led to.",
        discussion: """
            Returns when the action's mutations are reduced, and kept as the reactor promises. A sentence on a terminal; \
            otherwise, and with --json, {"reactor":…,"revision":…}.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The reactor's name.", completion: .reactors)
    var reactor: String

    @Argument(
        help: ArgumentHelp(
            "JSON, - (stdin), @file, or key=value and key:=json pairs; a single word is a string.",
            valueName: "action"))
    var action: [String]

    func run() throws {
        let params = RawJSON(["reactor": .string(reactor), "action": try value()])
        try DaemonSession.run(options) { session in
            session.call("reactor.dispatch", params) { result in
                let revision = result.value()["revision"]?.int.map(String.init) ?? "?"
                session.print(session.isForPrograms ? result.text : "\(reactor) is at revision \(revision)")
                session.finish()
            }
        }
    }

    private func value() throws(Ending) -> JSONValue {
        // `rxctl dispatch light toggle`: quotes within quotes are no fun.
        if action.count == 1, let word = action.first, DispatchCommand.isWord(word) { return .string(word) }
        return try Input.read(action)?.value() ?? .null
    }

    /// A letter, then letters, digits, `_` and `-`; none of JSON's own.
    static func isWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first), !["true", "false", "null"].contains(text) else {
            return false
        }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
