import ArgumentParser
import RxClient
import RxJSON
import RxProtocol
import Testing

@testable import rxctl

struct CommandTests {
    private func parse<Command: ParsableCommand>(_ type: Command.Type, _ arguments: String...) throws -> Command {
        try #require(try RootCommand.parseAsRoot(arguments) as? Command)
    }

    @Test("every command has an abstract and takes the global options")
    func tree() throws {
        let commands = RootCommand.configuration.subcommands
        #expect(
            commands.map { $0.configuration.commandName } == [
                "execute", "retry", "check", "dispatch", "state", "subscribe", "list", "top", "describe", "why",
                "enable", "disable", "history", "cancel", "wait", "output", "logs", "status", "reload", "send", "fire",
                "graph", "marbles", "calendar", "test",
                "call", "replay", "backup", "socket-path",
            ])
        for command in commands {
            #expect(!command.configuration.abstract.isEmpty)
            #expect(command.helpMessage().contains("--socket"))
            #expect(command is any RxctlCommand.Type)
        }
    }

    @Test("help fits into 80 columns, and a command's own options come before those of all commands")
    func help() {
        for command in RootCommand.configuration.subcommands + [RootCommand.self] {
            let lines = RootCommand.helpMessage(for: command, columns: 80).split(separator: "\n").map(String.init)
            for line in lines { #expect(line.count <= 80, "\(line)") }
            #expect(lines.contains { $0.hasPrefix("USAGE: rxctl") })
        }
        let options = RootCommand.helpMessage(for: CancelCommand.self).split(separator: "\n")
            .filter { $0.hasPrefix("  -") }.map { $0.split(separator: " ").first { $0.hasPrefix("--") } }
        #expect(options == ["--grace", "--socket", "--wait", "--json", "--version", "--help"])
    }

    @Test("each exit status is one line of the help")
    func exitStatuses() throws {
        let lines = RootCommand.helpMessage(columns: 80).split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex(of: "Exit status:")) + 1
        let statuses = lines[first...].prefix { !$0.isEmpty }
        #expect(statuses.count > 10)
        for line in statuses { #expect(line.contains(#/^  [0-9]+ +[a-z]/#), "\(line)") }
    }

    @Test("the channel lag does not decide what is subscribed to: losses come without it")
    func lagChannel() throws {
        func request(_ channels: String) throws -> SubscribeRequest {
            try parse(SubscribeCommand.self, "subscribe", "*", "--channel", channels).request(
                .action(["*"]), cursor: nil)
        }
        #expect(try request("errors,lag").target == .action(["*"]))
        #expect(try request("errors,lag").channels == [.errors])
        #expect(try request("state,lag").target == .reactor(["*"]))
        #expect(try request("state,lag").channels == [.state])
        for channels in ["lag", "firings", "errors,firings,lag"] {
            #expect(try request(channels).target == .stream(["*"]))
        }
        #expect(try request("errors,firings,lag").channels == [.errors, .firings, .lag])
        // A name may turn out to be that of a stream.
        let named = try parse(SubscribeCommand.self, "subscribe", "ticks", "--channel", "elements,lag")
        #expect(named.channels(for: .stream(["ticks"])) == [.elements, .lag])
        #expect(try request("errors").channels == [.errors])
    }

    @Test("global options go before and after the command")
    func globalOptions() throws {
        #expect(try parse(StatusCommand.self, "-s", "/a", "--json", "status").options.socket == "/a")
        #expect(try parse(StatusCommand.self, "--json", "status").options.json)
        let after = try parse(StatusCommand.self, "status", "--socket", "/b", "--wait", "1m30s")
        #expect(after.options.socket == "/b")
        #expect(after.options.wait?.duration == .seconds(90))
    }

    @Test("INPUT takes a single dash, pairs and many words")
    func input() throws {
        #expect(try parse(ExecuteCommand.self, "execute", "a", "-").input == ["-"])
        #expect(try parse(ExecuteCommand.self, "execute", "a", "k=v", "--raw", "n:=1").input == ["k=v", "n:=1"])
        #expect(try parse(ExecuteCommand.self, "execute", "a", "--", "-5").input == ["-5"])
    }

    @Test("channels are separated by commas, and only real ones are taken")
    func channels() throws {
        let command = try parse(SubscribeCommand.self, "subscribe", "a", "b", "--channel", "elements,executing")
        #expect(command.names == ["a", "b"])
        #expect(command.channels?.channels == [.elements, .executing])
        for faulty in ["nosuch", "elements,", "", "end", "elements nosuch"] {
            #expect(throws: (any Error).self) {
                try parse(SubscribeCommand.self, "subscribe", "a", "--channel", faulty)
            }
        }
    }

    @Test(
        "usage is exit code 64",
        arguments: [
            ["execute"], ["subscribe"], ["nosuch"], ["execute", ""], ["subscribe", "a", "--count", "0"],
            ["subscribe", "a", "*"], ["execute", "a", "--timeout", "5"], ["status", "extra"],
            ["execute", "a", "{}", "--each"], ["execute", "a", "--key", ""], ["execute", "a", "--parallel", "2"],
            ["execute", "a", "--each", "--parallel", "0"], ["execute", "a", "--each", "--parallel", "257"],
            ["execute", "a", "--each", "--detach", "--parallel", "2"], ["execute", "a", "--after", ""],
            ["execute", "a", "--tag"], ["execute", "a", "--keep-order"], ["execute", "a", "--resume", "f"],
            ["execute", "a", "--each", "--resume", ""], ["execute", "a", "--each", "--resume", "f", "--key", "k"],
            ["execute", "a", "--each", "--resume", "f", "--detach"],
            ["execute", "a", "--each", "--keep-order", "--detach"],
            ["execute", "a", "--after", "b", "--after", "c"],
            ["execute", "a", "--if-completed"], ["execute", "a", "--detach", "--raw"],
            ["execute", "a", "--detach", "--strict"], ["execute", "a", "--detach", "--propagate"],
            ["history", "a", "--limit", "0"], ["history", "a", "--limit", "10001"],
            ["history", "a", "--state", "dead"], ["history", "a", "--before", "xyz"],
            ["history", "a", "--before", "-1"],
            ["history", "a", "--before", "7", "--state", "failed"],
            ["history", "a", "--state", "failed,"], ["history", "--before", "7"],
            ["history", "a", "b", "--before", "7"],
            ["history", "a", "--before", "7", "--since", "1h"], ["history", "--since", "yesterday"],
            ["history", "--until", ""],
            ["history", "--since", "2026-11-22T22:00Z", "--until", "2026-11-21T23:30Z"], ["history", "--by", ""],
            ["history", "--by", "reactor:"],
            ["history", "--by", "no such user"], ["history", "--by", "4294967296"], ["history", "--grep", ""],
            ["logs", ""], ["logs", "a", "--all", "--follow"],
            ["logs", "01a1fc74-5543-7000-b6c5-3532564cb263", "--all"], ["why"], ["check"], ["wait"], ["logs"],
            ["enable"],
            ["disable", "a", "b"], ["wait", "a", "--timeout", "-1"], ["replay", "a"], ["replay", "--against", "b"],
            ["replay", "a", "--against", "b", "--from", "-1"],
            ["replay", "a", "--against", "b", "--from", "2", "--to", "1"], ["backup"], ["backup", ""],
            ["backup", "a", "b"], ["describe"], ["describe", "a", "--operators"], ["retry"], ["retry", ""],
            ["retry", "a", "b"], ["retry", "a", "--parallel", "0"], ["retry", "a", "--parallel", "257"],
            ["retry", "a", "--detach", "--parallel", "2"], ["retry", "a", "--detach", "--keep-order"],
            ["retry", "a", "--since", "yesterday"], ["subscribe", "a", "--from", "2099-01-01T00:00Z"],
        ])
    func usage(arguments: [String]) throws {
        let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(arguments) }
        #expect(RootCommand.exitCode(for: try #require(error)).rawValue == 64)
    }

    @Test("the error for a range that ends before it begins has both times")
    func backwards() throws {
        let error = #expect(throws: (any Error).self) {
            try RootCommand.parseAsRoot(["history", "--since", "2026-11-22T22:00Z", "--until", "2026-11-21T23:30Z"])
        }
        let message = RootCommand.message(for: try #require(error))
        #expect(message.contains("--until is 2026-11-21T23:30:00.000Z, which is before"), "\(message)")
        #expect(message.contains("2026-11-22T22:00:00.000Z"), "\(message)")
    }

    @Test("the error for a future --from states that it is in the future")
    func future() throws {
        let error = #expect(throws: (any Error).self) {
            try RootCommand.parseAsRoot(["subscribe", "a", "--from", "2099-01-01T00:00Z"])
        }
        let message = RootCommand.message(for: try #require(error))
        #expect(message.contains("--from is a time in the future, 2099-01-01T00:00:00.000Z"), "\(message)")
    }

    @Test("compatible options are accepted together")
    func together() throws {
        let each = try parse(ExecuteCommand.self, "execute", "a", "--each", "--parallel", "256", "--raw", "--propagate")
        #expect(each.each && each.parallel == 256 && each.style.raw && each.style.propagate && !each.style.strict)
        let detached = try parse(ExecuteCommand.self, "execute", "a", "--each", "--detach", "--key", "k", "--json")
        #expect(detached.detach && detached.key == "k" && detached.options.json)
        #expect(detached.request.onDisconnect == .detach)
        #expect(each.request.onDisconnect == .cancel)
        let resumed = try parse(ExecuteCommand.self, "execute", "a", "--each", "--resume", "f", "--keep-order", "--tag")
        // What is in flight goes on when rxctl is killed, and is found again by its key.
        #expect(resumed.request.onDisconnect == .detach)
        let history = try parse(HistoryCommand.self, "history", "a", "--state", "failed,timedOut", "--limit", "10000")
        #expect(history.state?.states == ["failed", "timedOut"])
        for (text, parameter) in [
            ("root", ["uid": 0]), ("0", ["uid": 0]), ("4294967295", ["uid": 4_294_967_295]),
            ("reactor:root", ["reactor": "root"]), ("stream:nightly@1", ["stream": "nightly@1"]),
        ] as [(String, JSONValue)] {
            #expect(try parse(HistoryCommand.self, "history", "--by", text).by?.parameter == parameter)
        }
        let range = try parse(
            HistoryCommand.self, "history", "a", "b", "--since", "2026-11-22T03:00:00.000Z", "--until", "10m")
        #expect(range.names == ["a", "b"] && range.since?.timestamp.description == "2026-11-22T03:00:00.000Z")
        #expect(range.until.map { $0.timestamp < .now } == true)
    }

    @Test("replay passes its arguments to rxd, and nothing that could be mistaken for an option")
    func replay() throws {
        #expect(
            try parse(ReplayCommand.self, "replay", "light", "--against", "new").arguments
                == ["--replay=light", "--config=new"])
        let all = try parse(
            ReplayCommand.self, "replay", "--against=-x", "--state=--y", "--from", "1", "--to", "2", "--all",
            "--mutations",
            "--each", "--json", "--", "-z")
        #expect(
            all.arguments == [
                "--replay=-z", "--config=-x", "--state=--y", "--from=1", "--to=2", "--all", "--mutations", "--each",
                "--json",
            ])
    }

    @Test("test passes the directory, the names of tests, and --json to rxd")
    func test() throws {
        #expect(try parse(TestCommand.self, "test").arguments == ["--test"])
        #expect(
            try parse(TestCommand.self, "test", "conf", "one", "two", "--json").arguments == [
                "--test", "--config=conf", "--only=one", "--only=two", "--json",
            ])
        #expect(
            try parse(TestCommand.self, "test", "--", "-x", "-y").arguments == ["--test", "--config=-x", "--only=-y"])
    }

    @Test("describe needs a name or --operators, and not both")
    func describe() throws {
        #expect(try parse(DescribeCommand.self, "describe", "a").name == "a")
        #expect(try parse(DescribeCommand.self, "describe", "--operators").operators)
    }

    @Test("backup passes its arguments to rxd, and nothing that could be mistaken for an option")
    func backup() throws {
        #expect(try parse(BackupCommand.self, "backup", "copies").arguments == ["--backup=copies"])
        let all = try parse(BackupCommand.self, "backup", "--state=--y", "--force", "--json", "--", "-z")
        #expect(all.arguments == ["--backup=-z", "--state=--y", "--force", "--json"])
    }

    @Test("an object without a member keeps the others as they are")
    func without() throws {
        let reply = try RawJSON(validating: #"{"subscription":"s1","cursor":"e:1","snapshot":{"n":1.0}}"#)
        #expect(reply.without("subscription").text == #"{"cursor":"e:1","snapshot":{"n":1.0}}"#)
    }
}
