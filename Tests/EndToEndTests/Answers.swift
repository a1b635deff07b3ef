import RxJSON

extension Program.Result {
    /// What was printed, one value a line.
    func values() throws -> [JSONValue] { try lines.map { try RawJSON(validating: $0).value() } }

    /// The last error object that `--json` printed on stderr.
    func refusal() throws -> JSONValue {
        try RawJSON(validating: error.split(separator: "\n").last.map(String.init) ?? "").value()
    }
}

extension Sandbox {
    /// The records of `rxctl history ACTION`, oldest first.
    func history(_ action: String, _ options: String...) async throws -> [JSONValue] {
        try await rxctl(["history", action] + options).values()
    }

    func describe(_ action: String) async throws -> JSONValue {
        try await rxctl("describe", action, "--json").values().first ?? .null
    }

    /// Starts a detached execution and returns the daemon's response.
    func detach(_ action: String, _ input: String) async throws -> JSONValue {
        try await rxctl("execute", action, input, "--detach", "--json").values().first ?? .null
    }
}
