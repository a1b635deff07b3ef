import Testing

extension Sandbox {
    /// Makes a backup in the directory `copies` of the sandbox.
    func backup(_ words: String...) async throws -> Program.Result {
        try await rxctl(["backup", "--state", state, directory + "/copies"] + words)
    }

    /// Types the command of the section "Restoring" of docs/operating.md as it stands, but for the directories of this
    /// sandbox, and without units and users.
    ///
    /// - Parameter systemctl: what stands for `systemctl`.
    func restore(systemctl: String = "systemctl() { :; }") async throws -> Program.Result {
        let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let document = try #require(Files.read(repository + "/docs/operating.md"))
        let section = try #require(document.firstRange(of: "### Restoring"))
        let start = try #require(document[section.upperBound...].firstRange(of: "```sh\n"))
        let end = try #require(document[start.upperBound...].firstRange(of: "```"))
        let commands = document[start.upperBound..<end.lowerBound]
        #expect(commands.contains("systemctl stop") && commands.contains("-o rxd -g rxd"))
        let typed = commands.replacing("/var/lib/rxd", with: state).replacing("-o rxd -g rxd ", with: "")
            .replacing("/var/backups/rxd", with: directory + "/copies")
        return try await shell("cd '\(directory)'\n\(systemctl)\n\(typed)")
    }
}
