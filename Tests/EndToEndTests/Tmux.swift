import Testing

/// A terminal of a server of its own, as a user has it: bash runs in it.
final class Tmux {
    private let sandbox: Sandbox
    private let socket: String

    /// - Parameter environment: variables of the shell, besides `$rxctl` and the socket of the sandbox.
    init(_ sandbox: Sandbox, columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) async throws {
        self.sandbox = sandbox
        socket = sandbox.directory + "/tmux"
        let variables = environment.merging([
            "rxctl": Programs.rxctl, "PS1": "$ ", "LC_ALL": "C.UTF-8", "PAGER": "less", "LESS": "",
            "HISTFILE": "/dev/null",
        ]) { given, _ in given }
        let words = ["env", "-u", "NO_COLOR"] + variables.map { "\($0.key)=\($0.value)" } + ["bash", "--norc"]
        _ = try await run(
            ["-f", "/dev/null", "new-session", "-d", "-c", sandbox.directory, "-x", "\(columns)", "-y", "\(rows)"]
                + words)
        try await shows("$")
    }

    /// Types a text, without Enter.
    func type(_ text: String) async throws { _ = try await run(["send-keys", "-l", text]) }

    /// Pastes a text, marked as such if the program asks for it.
    func paste(_ text: String) async throws {
        _ = try await run(["set-buffer", text])
        _ = try await run(["paste-buffer", "-p"])
    }

    /// Presses keys by their names: `Enter`, `Up`, `Escape`, `C-c`.
    func press(_ keys: String...) async throws { _ = try await run(["send-keys"] + keys) }

    /// The rows of the screen, with a newline after each.
    func screen() async throws -> String { try await run(["capture-pane", "-p"]) }

    /// What tmux knows of the pane, such as `#{alternate_on}`.
    func state(_ format: String) async throws -> String {
        try await run(["display-message", "-p", format]).replacing("\n", with: "")
    }

    /// Waits until the screen has the text.
    func shows(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        var last = ""
        do {
            try await eventually("the screen shows \(text)", sourceLocation: sourceLocation) {
                last = try await screen()
                return last.contains(text)
            }
        } catch {
            Issue.record("the screen is:\n\(last)", sourceLocation: sourceLocation)
            throw error
        }
    }

    /// Waits until the screen has the text no more.
    func hides(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually("the screen hides \(text)", sourceLocation: sourceLocation) {
            try await !screen().contains(text)
        }
    }

    func resize(columns: Int, rows: Int) async throws {
        _ = try await run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Ends the server, and the shell with it.
    func end() async throws { _ = try await run(["kill-server"]) }

    private func run(_ arguments: [String]) async throws -> String {
        let result = try await sandbox.start(["tmux", "-S", socket] + arguments, environment: ["TMUX": ""]).result()
        #expect(result.status == 0, "tmux \(arguments): \(result.error)")
        return result.output
    }
}

/// Runs a test with a terminal, and ends it.
func withTmux(
    _ sandbox: Sandbox, columns: Int = 80, rows: Int = 24, environment: [String: String] = [:],
    _ body: (Tmux) async throws -> Void
) async throws {
    let tmux = try await Tmux(sandbox, columns: columns, rows: rows, environment: environment)
    do {
        try await body(tmux)
    } catch {
        try await tmux.end()
        throw error
    }
    try await tmux.end()
}
