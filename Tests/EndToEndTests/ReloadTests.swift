import Glibc
import RxJSON
import TestSupport
import Testing

/// Reloads that take long, and what the daemon does meanwhile.
@Suite(.ownThreads(limit: .seconds(120)))
struct ReloadTests {
    private static let reload = #"{"jsonrpc":"2.0","id":"reload","method":"server.reload"}"#

    private static func dispatch(_ id: Int, _ action: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"reactor.dispatch","params":{"reactor":"job","action":"\#(action)"}}"#
    }

    /// Sends a reload, and serves another client until it is answered.
    ///
    /// - Returns: the answer, and how often the other client was served before.
    private func reload(_ sandbox: Sandbox) async throws -> (answer: String, served: Int) {
        let reloading = try RawSocket(path: sandbox.socket)
        let other = try LineSocket(path: sandbox.socket)
        reloading.send(Self.reload + "\n")
        var answer = ""
        var served = 0
        try await eventually("the reload is answered") {
            other.send(
                #"{"jsonrpc":"2.0","id":\#(served),"method":"action.execute","params":{"action":"echo","input":1}}"#)
            let line = try await other.line()
            #expect(line.contains(#""id":\#(served),"result""#))
            answer += reloading.received() ?? ""
            if answer.hasSuffix("\n") { return true }
            served += 1
            return false
        }
        reloading.close()
        other.close()
        return (answer, served)
    }

    /// Reloads, and expects that others are served meanwhile. A busy machine may stop this process for all of a reload:
    /// then there is another one.
    ///
    /// - Parameter prepare: changes the configuration, before each reload.
    /// - Returns: the last answer.
    private func reloadServing(_ sandbox: Sandbox, _ prepare: () async throws -> Void) async throws -> String {
        var answer = ""
        try await eventually("others are served meanwhile") {
            try await prepare()
            let (last, served) = try await reload(sandbox)
            answer = last
            // Whoever had to wait for the reload would have been served once, before or after it.
            return served >= 3
        }
        return answer
    }

    @Test("many reactors one of which does not compile: others are served meanwhile, and nothing changes")
    func faulty() async throws {
        try await withDaemon { sandbox, _ in
            var text = ""
            for number in 0..<60 {
                let reduce = number == 30 ? ".state +" : ".state + \(number)"
                text += "[reactor.r\(number)]\ninitial = 0\nreduce = '\(reduce)'\n\n"
            }
            let answer = try await reloadServing(sandbox) { sandbox.configure(text, file: "conf.d/reactors.toml") }
            #expect(answer.contains("reactors.toml:"), "\(answer)")
            #expect(answer.contains("reactor.r30"))
            #expect(try await sandbox.rxctl("list", "--reactors").output == "")
        }
    }

    private static let slowCondition = """
        [reactor.mode]
        initial = 1
        reduce  = '.state'

        [action.guarded]
        builtin = "echo"
        enabled = { reactor = "mode", when = "last(range(1000000000)) > 0" }

        """

    @Test("a condition that takes long to evaluate: others are served meanwhile")
    func slowCondition() async throws {
        try await withDaemon { sandbox, _ in
            let answer = try await reloadServing(sandbox) { () async throws -> Void in
                sandbox.configure("", file: "conf.d/mode.toml")
                #expect(try await sandbox.rxctl("reload").status == 0)
                sandbox.configure(Self.slowCondition, file: "conf.d/mode.toml")
            }
            #expect(answer.contains(#""added":["guarded","mode"]"#), "\(answer)")
            // It does not count as met because it is new.
            #expect(try await sandbox.rxctl("execute", "guarded").status == 3)
        }
    }

    /// A reactor whose programs replay its history, and the rest of a configuration.
    private func configureSum(_ sandbox: Sandbox, _ reduce: String, _ rest: String = "") {
        sandbox.configure(
            """
            [reactor.sum]
            initial   = 0
            persist   = true
            on-change = "replay"
            reduce    = '\(reduce)'
            \(rest)
            """, file: "conf.d/sum.toml")
    }

    @Test("a replay that takes long: others are served meanwhile")
    func slowReplay() async throws {
        try await withDaemon { sandbox, _ in
            func configure(_ reduce: String) { configureSum(sandbox, reduce) }
            configure(".state + .mutation")
            let (added, _) = try await reload(sandbox)
            #expect(added.contains(#""added":["sum"]"#), "\(added)")
            for _ in 0..<5 { #expect(try await sandbox.rxctl("dispatch", "sum", "1").status == 0) }
            let answer = try await reloadServing(sandbox) { () async throws -> Void in
                configure(".state + .mutation")
                #expect(try await sandbox.rxctl("reload").status == 0)
                configure("last(range(2000000)) as $long | .state + 2 * .mutation")
            }
            #expect(answer.contains(#""changed":["sum"]"#), "\(answer)")
            #expect(try await sandbox.rxctl("state", "sum").output == "10\n")
        }
    }

    @Test("a reactor that refuses its new definition is reported with its reason, and the rest is in force")
    func refused() async throws {
        try await withDaemon { sandbox, _ in
            func configure(_ reduce: String, _ rest: String = "") { configureSum(sandbox, reduce, rest) }
            configure(".state + .mutation")
            #expect(try await sandbox.rxctl("reload").status == 0)
            #expect(try await sandbox.rxctl("dispatch", "sum", "1").status == 0)
            configure(#"error("not this one")"#, "[reactor.other]\ninitial = 7\nreduce = \".state\"")
            let reload = try await sandbox.rxctl("reload")
            #expect(reload.status == 1)
            let change = try #require(try reload.values().first)
            #expect(change["changed"] == ["sum"])
            #expect(change["added"] == ["other"])
            let fault = try #require(change["faults"]?.array?.first?.string)
            #expect(fault.hasPrefix("reactor sum: ") && fault.contains("the old one stays: "), "\(fault)")
            #expect(fault.contains("not this one"), "\(fault)")
            #expect(reload.error.contains(fault))
            #expect(try await sandbox.rxctl("dispatch", "sum", "1").status == 0)
            #expect(try await sandbox.rxctl("state", "sum").output == "2\n")
            #expect(try await sandbox.rxctl("state", "other").output == "7\n")
            configure(".state + 10 * .mutation")
            let mended = try await sandbox.rxctl("reload")
            #expect(mended.status == 0)
            #expect(try #require(try mended.values().first)["faults"] == nil)
        }
    }

    @Test("a daemon that stops in the middle of a reload stops cleanly")
    func stop() async throws {
        try await withSandbox { sandbox in
            // On a busy machine, the reload may be over before the signal comes.
            try await eventually("it stops in the middle") {
                sandbox.configure("", file: "conf.d/mode.toml")
                let daemon = try await sandbox.startDaemon()
                sandbox.configure(Self.slowCondition, file: "conf.d/mode.toml")
                let client = try LineSocket(path: sandbox.socket)
                client.send(Self.reload)
                // The reload is under way once a later request is answered.
                client.send(#"{"jsonrpc":"2.0","id":1,"method":"server.hello"}"#)
                let first = try await client.line()
                try await sandbox.stopCleanly(daemon)
                let second = try await client.line()
                return first.contains(#""id":1"#) && second.contains("shuttingDown")
            }
        }
    }

    @Test("a dispatch while a reactor is replaced is carried out by the new definition, and the one before by the old")
    func dispatches() async throws {
        try await withSandbox { sandbox in
            let file = sandbox.directory + "/go"
            func configure(_ word: String, _ more: String = "") {
                sandbox.configure(
                    """
                    [action.wait]
                    run = ["/bin/sh", "-c", "echo begun; until test -e \(file); do sleep 0.02; done; echo ended"]

                    [reactor.job]
                    initial = []
                    mutate  = [
                      { when = '.action == "wait"', execute = "wait", element = '.element' },
                      { when = '.action != "wait"', mutation = '"\(word) " + .action' },
                    ]
                    reduce  = '.state + [.mutation]'

                    \(more)
                    """, file: "conf.d/job.toml")
            }
            configure("old")
            let daemon = try await sandbox.startDaemon()
            let (first, second) = (try LineSocket(path: sandbox.socket), try LineSocket(path: sandbox.socket))
            first.send(Self.dispatch(1, "wait"))
            try await eventually("the first one is under way") {
                try await sandbox.rxctl("state", "job").output.contains("begun")
            }
            configure("new", "[action.added]\nbuiltin = \"echo\"")
            let reloading = try await sandbox.startRxctl("reload")
            try await eventually("the new definition is in force") {
                second.send(#"{"jsonrpc":"2.0","id":0,"method":"action.list"}"#)
                return try await second.line().contains(#""added""#)
            }
            second.send(Self.dispatch(2, "x"))
            Files.write("", to: file)
            let answers = (try await first.line(), try await second.line())
            #expect(answers.0.contains(#""result":{"reactor":"job","revision":2}"#), "\(answers.0)")
            // Revision 3 is the first of the new definition.
            #expect(answers.1.contains(#""result":{"reactor":"job","revision":4}"#), "\(answers.1)")
            #expect(try await reloading.result().status == 0)
            #expect(try await sandbox.rxctl("state", "job").output == #"["begun","ended","new x"]"# + "\n")
            try await sandbox.stopCleanly(daemon)
        }
    }
}
