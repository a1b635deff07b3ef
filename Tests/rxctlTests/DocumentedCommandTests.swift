import ArgumentParser
import TestSupport
import Testing

@testable import rxctl

/// The commands of rxctl that documents name within sentences and tables, where no test types them.
struct DocumentedCommandTests {
    private static let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// The texts between backticks and the lines of `sh` blocks that begin a command of rxctl, up to the next pipe.
    private static func commands(in document: String) -> [String] {
        let text = (readText("\(repository)/\(document)") ?? "").replacing("\\|", with: "|")
        let spans = text.matches(of: /`([^`\n]+)`/).map { String($0.1) }
        let blocks = text.matches(of: /```sh\n([^`]*)```/).flatMap { $0.1.split(separator: "\n").map(String.init) }
        return (spans + blocks).flatMap { $0.split(separator: "|") }.map { $0.trimmed }.filter {
            $0.hasPrefix("rxctl ")
        }
    }

    @Test("every command in the documents is one", arguments: ["docs/coming-from.md", "docs/errors.md"])
    func parses(document: String) {
        let names = RootCommand.configuration.subcommands.map { $0.configuration.commandName }
        let commands = Self.commands(in: document)
        #expect(commands.count > 10)
        for command in commands {
            let words = command.split(separator: " ").dropFirst().prefix { $0 != ">" && $0 != "<" }.map {
                $0.trimming("'\"")
            }
            // A command alone stands for all of its forms.
            if words.count == 1, names.contains(words[0]) { continue }
            #expect(throws: Never.self, "\(command)") { _ = try RootCommand.parseAsRoot(words) }
        }
    }

    @Test("a command that does not exist is noticed, and so is an option")
    func notices() {
        for words in [["excute", "x"], ["execute", "x", "--detatch"], ["wait"]] {
            #expect(throws: (any Error).self) { _ = try RootCommand.parseAsRoot(words) }
        }
    }
}

extension StringProtocol {
    fileprivate var trimmed: String { trimming(" ") }

    fileprivate func trimming(_ characters: String) -> String {
        var rest = Substring(self)
        while let first = rest.first, characters.contains(first) { rest.removeFirst() }
        while let last = rest.last, characters.contains(last) { rest.removeLast() }
        return String(rest)
    }
}
