internal import ArgumentParser
internal import RxStreams

/// The names of the commands, and what users of other programs call them.
enum CommandNames {
    /// The command for a word that other programs have.
    static let elsewhere = [
        "run": "execute", "exec": "execute", "start": "execute", "ps": "list", "ls": "list", "actions": "list",
        "streams": "list --streams", "reactors": "list --reactors", "log": "logs", "journal": "logs",
        "kill": "cancel", "stop": "cancel", "rm": "cancel", "show": "describe", "info": "describe",
        "tail": "subscribe", "watch": "subscribe", "events": "subscribe", "emit": "send", "publish": "send",
        "trigger": "fire", "get": "state", "cron": "calendar", "version": "--version",
    ]

    static let all = RootCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]

    /// What is wrong with the command in these arguments, if there is one; nil for a command that rxctl has.
    static func fault(in arguments: [String]) -> String? {
        guard let word = command(in: arguments), !all.contains(word) else { return nil }
        let meant = elsewhere[word] ?? nearest(to: word, among: all)
        return "no such command: \(word); "
            + (meant.map { "did you mean rxctl \($0)?" } ?? "rxctl --help lists the commands")
    }

    /// The first word that is neither an option nor its value.
    private static func command(in arguments: [String]) -> String? {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if ["-s", "--socket", "--wait"].contains(word) {
                _ = rest.popFirst()
            } else if !word.hasPrefix("-") {
                return word
            }
        }
        return nil
    }
}
