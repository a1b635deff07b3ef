import RxJSON
import TestSupport
import Testing

/// `fire` and `send`, and what they answer for a name or a stream that takes no element.
@Suite(.ownThreads(limit: .seconds(120)))
struct StreamFireTests {
    private static let backup = """
        [action.backup]
        run = ["echo", { input = "/day" }]
        overlap = "queue"
        on = { calendar = "*-*-* 03:00", zone = "Europe/Berlin", input = '{day: .local[0:10]}' }

        [action.idle]
        run = ["true"]

        """

    private func stream(_ name: String, _ sandbox: Sandbox) async throws -> JSONValue {
        try #require(try await sandbox.rxctl("why", name, "--json").values().first)
    }

    /// The command does not find a name. rxctl explains why if the daemon returns all names within a second, so this
    /// is repeated.
    private func expectRefusal(_ command: [String], _ text: String, _ sandbox: Sandbox) async throws {
        try await eventually("\(command) is answered with: \(text)") {
            let result = try await sandbox.rxctl(command)
            #expect(result.status == 5, "\(result.error)")
            return result.error.contains(text)
        }
    }

    @Test("fire of a schedule emits the element of a slot now, in its zone, that is none of its slots")
    func firesSchedule() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.backup, file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            // The newer one of the two: midnight may be between them.
            let reader = try await sandbox.startRxctl(
                "subscribe", "backup@1", "--channel", "elements", "--from", "start", "--count", "2")
            let next = try await stream("backup@1", sandbox)["next"]
            for _ in 0..<2 { #expect(try await sandbox.rxctl("fire", "backup@1").status == 0) }
            let element = try #require(try await reader.result().values().last?["value"])
            #expect(element["scheduled"] == element["fired"] && element["missed"] == 0)
            #expect(element["local"]?.string?.contains("+0") == true, "\(element)")
            try await eventually("both fire") { try await stream("backup@1", sandbox)["firings"]?.array?.count == 2 }
            let now = try await stream("backup@1", sandbox)
            #expect(now["next"] == next && now["failures"] == 0)
            let day = element["local"]?.string.map { String($0.prefix(10)) } ?? ""
            #expect(now["firings"]?.array?.last?["input"] == ["day": .string(day)])
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("fire on a terminal names the command that prints what came of the element")
    func firesOnTerminal() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.backup, file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            let terminal = try await Terminal(#""$rxctl" fire backup@1"#, on: sandbox)
            #expect(try await terminal.program.result().status == 0)
            let text = try await terminal.finalText()
            #expect(text.contains("`rxctl why backup@1`"), "\(text)")
            #expect(try await sandbox.rxctl("fire", "backup@1").error == "")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("the name of an action where a stream is expected is refused with the action's streams")
    func actionForStream() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.backup, file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            for command in [["fire", "backup"], ["send", "backup", "1"], ["marbles", "backup"]] {
                try await expectRefusal(command, "backup is an action; its stream is backup@1", sandbox)
            }
            try await expectRefusal(["fire", "idle"], "idle is an action: rxctl execute idle", sandbox)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("an unknown name is refused with all that it could have been, and with the nearest names")
    func unknownName() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.backup, file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            try await expectRefusal(["why", "nosuch"], "no such action, stream, or execution: nosuch", sandbox)
            try await expectRefusal(["why", "bakcup"], #"did you mean "backup""#, sandbox)
            try await expectRefusal(["disable", "bakcup@1"], "no such action or stream: bakcup@1", sandbox)
            try await expectRefusal(["disable", "bakcup@1"], #""backup@1""#, sandbox)
            let json = ["describe", "nosuch", "--json"]
            try await expectRefusal(json, #""name":"notFound""#, sandbox)
            try await expectRefusal(json, "no such action, reactor, or stream: nosuch", sandbox)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a stream that has ended refuses elements, also after a restart")
    func ended() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                "[stream.one]\nsubject = true\npersist = true\nthrough = [{ take = 1 }]\n", file: "conf.d/streams.toml")
            var daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("send", "one", "1").status == 0)
            try await eventually("it ends") { try await stream("one", sandbox)["state"] == "ended" }
            for isRestarted in [false, true] {
                if isRestarted {
                    try await sandbox.stopCleanly(daemon)
                    daemon = try await sandbox.startDaemon()
                }
                for command in [["send", "one", "2"], ["fire", "one"]] {
                    let refused = try await sandbox.rxctl(command + ["--json"])
                    #expect(refused.status == 3, "\(command)")
                    #expect(refused.error.contains(#""name":"notEnabled""#), "\(refused.error)")
                    #expect(refused.error.contains(#""state":"ended""#), "\(refused.error)")
                }
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("an execution that a reactor's level starts has who dispatched among its causes")
    func causesOfLevel() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [reactor.light]
                initial = { on = false }
                mutate = [{ mutation = "{on: (.state.on | not)}" }]
                reduce = ".mutation"

                [action.note]
                run = ["cat"]
                overlap = "queue"
                on = { reactor = "light" }

                """, file: "conf.d/streams.toml")
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("dispatch", "light", "toggle").status == 0)
            var id = ""
            try await eventually("the changed level fires") {
                let firings = try await stream("note@1", sandbox)["firings"]?.array ?? []
                guard let changed = firings.first(where: { $0["input"]?["on"] == true }) else { return false }
                id = changed["execution"]?.string ?? ""
                return !id.isEmpty
            }
            let causes = try await sandbox.rxctl("why", id, "--json").values()
            #expect("\(causes)".contains("note@1") && "\(causes)".contains("uid"), "\(causes)")
            try await sandbox.stopCleanly(daemon)
        }
    }
}
