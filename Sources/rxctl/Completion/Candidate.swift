internal import ArgumentParser
internal import RxJSON

/// One completion of the current word.
struct Candidate: Equatable {
    let text: String
    var description = ""

    /// The names in the result of `action.list`.
    static func actions(_ result: JSONValue) -> [Candidate] {
        (result["actions"]?.array ?? []).compactMap { action in
            (action["action"]?.string).map {
                Candidate(text: $0, description: action["description"]?.string ?? "")
            }
        }
    }

    /// The names in the result of `reactor.list`.
    static func reactors(_ result: JSONValue) -> [Candidate] {
        (result["reactors"]?.array ?? []).compactMap { reactor in
            (reactor["reactor"]?.string).map {
                Candidate(text: $0, description: reactor["description"]?.string ?? "")
            }
        }
    }

    /// The names in the result of `stream.list`.
    static func streams(_ result: JSONValue) -> [Candidate] {
        (result["streams"]?.array ?? []).compactMap { stream in
            (stream["stream"]?.string).map {
                Candidate(text: $0, description: stream["description"]?.string ?? "")
            }
        }
    }

    /// The ids in the result of `execution.list`.
    static func executions(_ result: JSONValue) -> [Candidate] {
        (result["executions"]?.array ?? []).compactMap { record in
            (record["execution"]?.string).map {
                Candidate(
                    text: $0, description: "\(record["action"]?.string ?? "") \(record["state"]?.string ?? "")")
            }
        }
    }

    /// The candidate in the format of the shell's script; nil if it does not continue the current word.
    func text(for shell: CompletionShell, completing words: CommandLineWords) -> String? {
        // Scripts read one candidate per line.
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

    /// The script passes candidates to `compgen -W`, which expands them like words of bash: a `$(…)` in a name would be
    /// executed.
    private static func escapedForBash(_ text: String) -> String {
        var escaped = ""
        for character in text {
            let isPlain = character.isLetter || character.isNumber || "-_=:./,@%+".contains(character)
            escaped += isPlain ? "\(character)" : "\\\(character)"
        }
        return escaped
    }
}
