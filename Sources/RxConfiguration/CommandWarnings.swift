internal import RxProcess

/// Warnings about a command that is likely to fail, or not to do what its author means: a program that is not there,
/// and what only a shell would understand.
struct CommandWarnings {
    /// Nil to leave out what depends on this machine's files.
    let programs: ProgramCheck?
    let faults: FaultList

    /// - Parameters:
    ///   - words: the program and its arguments, with their places; nil for a word that is a part of the input.
    ///   - cwd: the working directory; nil for the daemon's own.
    ///   - path: the key of the command.
    func warn(
        of words: [(text: String?, place: SourcePlace)], cwd: String?, environment: [String: String], path: [String]
    ) {
        guard let program = words.first?.text else { return }
        let isShell = Self.shells.contains(String(program.split(separator: "/").last ?? ""))
        for (index, word) in words.enumerated() {
            guard let text = word.text, let message = shellSyntax(in: text, isProgram: index == 0, isShell) else {
                continue
            }
            faults.warn(message, at: word.place, key: path + ["[\(index)]"])
            if index == 0 { return }
        }
        if let problem = programs?.problem(of: program, cwd: cwd, adding: environment) {
            faults.warn(problem, at: words[0].place, key: path + ["[0]"])
        }
    }

    func warn(ofDirectory directory: String, at place: SourcePlace, key: [String]) {
        if let problem = programs?.problem(ofDirectory: directory) { faults.warn(problem, at: place, key: key) }
    }

    private static let shells: Set = ["sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "env", "ssh", "su"]
    private static let operators: Set = ["|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1", "&>", "<<<"]

    /// Why a word does not mean what it would mean in a shell; nil if it has nothing of a shell.
    private func shellSyntax(in text: String, isProgram: Bool, _ isShell: Bool) -> String? {
        if text == "~" || text.hasPrefix("~/") {
            return "~ is not expanded, since no shell reads it; write the whole path"
        }
        if isProgram {
            guard text.contains(" "), programs?.problem(of: text, cwd: nil, adding: [:]) != nil else { return nil }
            let words = text.split(separator: " ")
            if text.contains(where: { "|&;<>$`*\"'".contains($0) }) {
                return "is one word, and no shell reads it; write [\"/bin/sh\", \"-c\", \(text.debugDescription)]"
            }
            let list = words.map(\.debugDescription).joined(separator: ", ")
            return "is one word, and nothing splits it; write [\(list)]"
        }
        guard !isShell else { return nil }
        let sample = "write [\"/bin/sh\", \"-c\", \"…\"] if a shell should read the command"
        if Self.operators.contains(text) { return "\(text) is passed to the program as it is; \(sample)" }
        if isSubstitution(text) { return "\(text) is not expanded, since no shell reads it; \(sample)" }
        return nil
    }

    /// `$HOME/x`, `${NAME}`, `$(date)`: what a program for another language hardly begins with.
    private func isSubstitution(_ text: String) -> Bool {
        if text.hasPrefix("${") || text.hasPrefix("$(") || text.hasPrefix("`") { return true }
        guard text.hasPrefix("$") else { return false }
        let name = text.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return name.count > 1 && name.allSatisfy { $0.isASCII && !$0.isLowercase } && name.first?.isNumber == false
    }
}
