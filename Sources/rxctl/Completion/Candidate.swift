internal import ArgumentParser
internal import RxJSON

/// One way to go on with a command line.
struct Candidate: Equatable {
    let text: String
    var description = ""

    /// Of the result of `action.list`.
    static func actions(_ result: JSONValue) -> [Candidate] {
        (result["actions"]?.array ?? []).compactMap { action in
            (action["action"]?.string).map {
                Candidate(text: $0, description: action["description"]?.string ?? "")
            }
        }
    }

    /// Of the result of `reactor.list`.
    static func reactors(_ result: JSONValue) -> [Candidate] {
        (result["reactors"]?.array ?? []).compactMap { reactor in
            (reactor["reactor"]?.string).map {
                Candidate(text: $0, description: reactor["description"]?.string ?? "")
            }
        }
    }

    /// Of the result of `execution.list`.
    static func executions(_ result: JSONValue) -> [Candidate] {
        (result["executions"]?.array ?? []).compactMap { record in
            (record["execution"]?.string).map {
                Candidate(
                    text: $0, description: "\(record["action"]?.string ?? "") \(record["state"]?.string ?? "")")
            }
        }
    }

    /// What the script of `shell` expects, or nil if this candidate does not go on from the current word.
    func text(for shell: CompletionShell, completing words: CommandLineWords) -> String? {
        // Scripts read a candidate a line.
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }), text.hasPrefix(words.head)
        else { return nil }
        let rest = String(text.dropFirst(words.head.count))
        let description = String(description.printable.prefix { $0 != "\n" }.map { $0 == "\t" ? " " : $0 })
        switch shell {
        case .zsh:
            let escaped = rest.flatMap { $0 == ":" || $0 == "\\" ? ["\\", $0] : [$0] }
            return String(escaped) + (description.isEmpty ? "" : ":\(description)")
        case .fish:
            return rest + (description.isEmpty ? "" : "\t\(description)")
        default:
            return Candidate.escapedForBash(rest)
        }
    }

    /// The script gives candidates to `compgen -W`, which expands them as bash expands words: a `$(…)` in the name of
    /// something would be executed.
    private static func escapedForBash(_ text: String) -> String {
        var escaped = ""
        for character in text {
            let isPlain = character.isLetter || character.isNumber || "-_=:./,@%+".contains(character)
            escaped += isPlain ? "\(character)" : "\\\(character)"
        }
        return escaped
    }
}
