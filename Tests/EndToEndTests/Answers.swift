import RxJSON

extension Program.Result {
    /// What was printed, one value a line.
    func values() throws -> [JSONValue] { try lines.map { try RawJSON(validating: $0).value() } }

    /// The error that `--json` puts on stderr, last of what is there.
    func refusal() throws -> JSONValue {
        try RawJSON(validating: error.split(separator: "\n").last.map(String.init) ?? "").value()
    }
}

extension Sandbox {
    /// What `rxctl history ACTION` tells, oldest first.
    func history(_ action: String, _ options: String...) async throws -> [JSONValue] {
        try await rxctl(["history", action] + options).values()
    }

    func describe(_ action: String) async throws -> JSONValue {
        try await rxctl("describe", action, "--json").values().first ?? .null
    }

    /// Starts an execution that goes on by itself, and returns what the daemon answered.
    func detach(_ action: String, _ input: String) async throws -> JSONValue {
        try await rxctl("execute", action, input, "--detach", "--json").values().first ?? .null
    }
}
