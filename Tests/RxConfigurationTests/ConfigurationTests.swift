import HostTestSupport
import Jq
import RxProcess
import Glibc
import Logging
import RxAction
import RxHost
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxConfiguration

@Suite(.countedApart)
struct ConfigurationTests {
    let directory = TemporaryDirectory()

    private func load(_ text: String) throws -> Configuration {
        directory.write("rxd.toml", text)
        return try Configuration.load(directory: directory.path)
    }

    /// The faults of a text, one a line, without the directory.
    private func faults(_ text: String) -> [String] {
        directory.write("rxd.toml", text)
        return faults()
    }

    private func faults() -> [String] {
        do {
            _ = try Configuration.load(directory: directory.path)
            return []
        } catch {
            return error.faults.map { String($0.description.replacing(directory.path + "/", with: "")) }
        }
    }

    // MARK: What is read

    @Test("an empty directory is the default configuration")
    func empty() throws {
        #expect(try Configuration.load(directory: directory.path) == Configuration())
        #expect(try load("") == Configuration())
        #expect(Configuration().limits == Limits())
        #expect(Configuration().stopTimeout == .seconds(10))
    }

    @Test("every key of an action is read")
    func action() throws {
        let configuration = try load(
            """
            [action.deploy]
            description = "Roll out"
            run = ["deploy", "--env", { input = "/env" }, "", { input = "" }]
            output = "json"
            overlap = "reject"
            timeout = "10m"
            grace = "0s"
            cwd = "/srv"
            env = { A = "1", "B.C" = "x = y" }
            scheduler = "serial"
            """)
        let action = try #require(configuration.actions.first)
        #expect(configuration.actions.count == 1)
        #expect(action.name == "deploy")
        #expect(action.summary == "Roll out")
        #expect(action.timeout == .seconds(600))
        #expect(action.scheduler == .serial)
        var process = ProcessDefinition(
            arguments: [
                .text("deploy"), .text("--env"), .pointer(try JSONPointer("/env"), "/env"), .text(""),
                .pointer(try JSONPointer(""), ""),
            ])
        process.output = .json
        process.grace = .zero
        process.cwd = "/srv"
        process.environment = ["A": "1", "B.C": "x = y"]
        #expect(action.kind == .process(process))
    }

    @Test("built-ins take a name, a time-out and a scheduler")
    func builtins() throws {
        let configuration = try load(
            """
            action.e = { builtin = "echo" }
            action.f = { builtin = "fail", scheduler = "inline" }
            action.t = { builtin = "ticks", timeout = "1s", scheduler = "auto" }
            """)
        #expect(configuration.actions.map(\.kind) == [.builtin(.echo), .builtin(.fail), .builtin(.ticks)])
        #expect(configuration.actions.map(\.scheduler) == [nil, .inline, nil])
        #expect(configuration.actions[2].timeout == .seconds(1))
    }

    @Test("limits and the daemon's own keys are read, each in any file")
    func sections() throws {
        directory.write("conf.d/b.toml", "[limits]\nbatch = 7\n[action.b]\nrun = [\"b\"]\n")
        directory.write(
            "conf.d/a.toml", "[action.a]\nrun = [\"a\"]\n[rxd]\nstop-timeout = \"1m\"\nlog-level = \"error\"\n")
        directory.write("conf.d/ignored.txt", "not TOML")
        directory.write("conf.d/.hidden.toml", "not TOML")
        let configuration = try load(
            """
            [limits]
            lineBytes = 5000
            depth = 5
            elementsPerReply = 0
            outboxBytes = 5001
            buffer = 5002
            subscriptionsPerConnection = 5003
            connections = 5004
            connectionsPerUid = 5005
            replayEvents = 5006
            replayBytes = 5007
            replayBytesOfAll = 5010
            bytesPerUid = 65536
            keys = 5008
            keysPerUid = 5009
            """)
        #expect(configuration.actions.map(\.name) == ["a", "b"])
        #expect(configuration.stopTimeout == .seconds(60))
        #expect(configuration.logLevel == .error)
        #expect(
            configuration.limits.fields.map(\.value) == [
                5000, 5, 7, 0, 5001, 5002, 5003, 5004, 5005, 5006, 5007, 5010, 65536, 5008, 5009,
            ])
    }

    @Test("every number of bytes is an integer or a size")
    func sizes() throws {
        let configuration = try load(
            """
            [limits]
            lineBytes = "2MiB"
            outboxBytes = "64KiB"
            replayBytes = "0B"
            replayBytesOfAll = "1GiB"
            bytesPerUid = "1GiB"
            [history]
            state-bytes = "1GiB"
            bytes = "2MiB"
            output = "1KiB"
            """)
        #expect(configuration.stateBytes == 1_073_741_824)
        #expect(configuration.historyBytes == 2_097_152)
        #expect(configuration.historyOutput == 1024)
        let limits = configuration.limits
        #expect(limits.lineBytes == 2_097_152)
        #expect(limits.outboxBytes == 65_536)
        #expect(limits.replayBytes == 0)
        #expect(limits.replayBytesOfAll == 1_073_741_824)
        #expect(limits.bytesPerUid == 1_073_741_824)
    }

    @Test("the history keeps 64 KiB of output, none, or 16 MiB at most; and 512 MiB of everything, or 1 MiB at least")
    func historySizes() throws {
        let defaults = try load("")
        #expect(defaults.historyOutput == 65_536)
        #expect(defaults.historyBytes == 536_870_912)
        #expect(try load("[history]\noutput = \"0\"").historyOutput == 0)
        #expect(
            faults("[history]\noutput = \"17MiB\"\nbytes = \"1023KiB\"") == [
                #"rxd.toml:2: history.output: must be from "0B" to "16MiB""#,
                #"rxd.toml:3: history.bytes: must be from "1MiB" to "16TiB""#,
            ])
    }

    @Test("a fault of a size names what is accepted")
    func sizeFaults() {
        let grammar = #"a size such as "512KiB" or "64MiB" (a whole number with B, KiB, MiB, GiB, or TiB)"#
        #expect(
            faults(
                """
                [limits]
                lineBytes = "2MB"
                outboxBytes = 1.5
                replayBytes = "2GiB"
                bytesPerUid = -1
                batch = "64B"
                """) == [
                    "rxd.toml:2: limits.lineBytes: must be \(grammar) or an integer of bytes, not \"2MB\"",
                    "rxd.toml:3: limits.outboxBytes: must be \(grammar) or an integer of bytes, not a float",
                    #"rxd.toml:4: limits.replayBytes: must be from "0B" to "1GiB""#,
                    #"rxd.toml:5: limits.bytesPerUid: must be from "64KiB" to "16GiB""#,
                    "rxd.toml:6: limits.batch: must be an integer, not a string",
                ])
    }

    @Test("defaults fill in what an action leaves out, from whatever file; variables are merged")
    func defaults() throws {
        directory.write(
            "conf.d/z.toml",
            "[defaults]\ntimeout = \"1m\"\ngrace = \"1s\"\noutput = \"text\"\ncwd = \"/tmp\"\n"
                + "env = { A = \"default\", B = \"default\" }\n"
        )
        let configuration = try load(
            """
            [action.own]
            run = ["x"]
            timeout = "none"
            grace = "2s"
            output = "lines"
            cwd = "."
            env.A = "own"
            [action.plain]
            run = ["x"]
            [action.echo]
            builtin = "echo"
            """)
        let (echo, own, plain) = (configuration.actions[0], configuration.actions[1], configuration.actions[2])
        #expect([echo.timeout, own.timeout, plain.timeout] == [.seconds(60), nil, .seconds(60)])
        guard case .process(let owns) = own.kind, case .process(let plains) = plain.kind else {
            Issue.record("not processes")
            return
        }
        #expect([owns.grace, plains.grace] == [.seconds(2), .seconds(1)])
        #expect([owns.output, plains.output] == [.lines, .text])
        #expect([owns.cwd, plains.cwd] == [nil, "/tmp"])
        #expect(owns.environment == ["A": "own", "B": "default"])
        #expect(plains.environment == ["A": "default", "B": "default"])
    }

    @Test("fingerprints are equal for the same definition, however written, and differ with every key")
    func fingerprints() throws {
        let one = try load(
            "[action.a]\nrun = [\"x\", \"y\"]\nenv = { A = \"1\", B = \"2\" }\n[defaults]\ngrace = \"60s\"\n")
        let other = try load(
            "action.a.run = ['x',\n 'y'] # same\naction.a.env.B = '2'\naction.a.env.A = '1'\n"
                + "action.a.grace = '1m'\naction.a.timeout = 'none'"
        )
        #expect(one.actions.map(\.fingerprint) == other.actions.map(\.fingerprint))
        let variants = [
            "run = [\"x\"]", "run = [\"x\", \"y\"]", "run = [\"x y\"]",
            "run = [\"x\", { input = \"y\" }]".replacing("\"y\"", with: "\"/y\""),
            "run = [\"x\", \"/y\"]", "run = [\"x\"]\ncwd = \"/\"", "run = [\"x\"]\noutput = \"text\"",
            "run = [\"x\"]\ngrace = \"1s\"",
            "run = [\"x\"]\ntimeout = \"1s\"", "run = [\"x\"]\ndescription = \"d\"",
            "run = [\"x\"]\nenv = { A = \"1\" }",
            "run = [\"x\"]\nenv = { A = \"1\", B = \"2\" }", "run = [\"x\"]\nenv = { A = '1\" env.\"B\"=\"2' }",
            "run = [\"x\"]\nscheduler = \"serial\"", "builtin = \"echo\"", "builtin = \"fail\"",
        ]
        let prints = try variants.map { try load("[action.a]\n" + $0).actions[0].fingerprint }
        #expect(Set(prints).count == variants.count)
    }

    @Test("a definition for the host carries what was read")
    func definitions() throws {
        let action = try load("[action.a]\ndescription = \"d\"\nrun = [\"x\", { input = \"/y\" }]\ntimeout = \"1s\"\n")
            .actions[0]
        let definition = action.definition(processes: Harness.launcher, evaluator: LocalEvaluator())
        #expect(definition.name == "a")
        #expect(definition.summary == "d")
        #expect(definition.kind == "process")
        #expect(definition.timeout == .seconds(1))
        #expect(definition.fingerprint == action.fingerprint)
        #expect(definition.validate(.null) == [InputFault(path: "/y", message: "is required")])
        #expect(definition.validate(RawJSON(unchecked: Array("{\"y\":1}".utf8))) == [])
        let echo = try load("[action.e]\nbuiltin = \"echo\"\n").actions[0].definition(
            processes: Harness.launcher, evaluator: LocalEvaluator())
        #expect(echo.scheduler == .inline)
        let ticks = try load("[action.t]\nbuiltin = \"ticks\"\n").actions[0].definition(
            processes: Harness.launcher, evaluator: LocalEvaluator())
        #expect(ticks.scheduler == .serial)
    }

    // MARK: What is refused

    @Test("a directory that is not there is a fault unless it may be missing")
    func missingDirectory() throws {
        let missing = directory.path + "/missing"
        #expect(throws: ConfigurationErrors.self) { try Configuration.load(directory: missing) }
        #expect(try Configuration.load(directory: missing, mayBeMissing: true) == Configuration())
    }

    @Test("what is not TOML is reported with its line")
    func syntax() {
        #expect(faults("[a]\nb = \n").map { $0.prefix(11) } == ["rxd.toml:2:"])
        #expect(faults("a = 1\na = 2\n").map { $0.prefix(11) } == ["rxd.toml:2:"])
        directory.write("rxd.toml", bytes: Array("a = 1\nb = \"".utf8) + [0xFF, 0x22])
        #expect(faults() == ["rxd.toml:2: is not UTF-8"])
        #expect(
            faults("a = 1\n\n\u{0}") == [
                "rxd.toml:3: Error while parsing root table: expected keys, tables, whitespace or "
                    + "comments, saw '\\u0000'"
            ])
        #expect(
            faults("[action.a]\nrun = [\"x\\u0000\"]") == [
                "rxd.toml:2: action.a.run[0]: must not contain a NUL character"
            ])
    }

    @Test("files that cannot be read are reported with name and errno")
    func unreadable() {
        directory.write("conf.d/dir.toml/x", "")
        symlink("/no/such/file", directory.path + "/conf.d/link.toml")
        mkfifo(directory.path + "/conf.d/pipe.toml", 0o600)
        #expect(
            faults("") == [
                "conf.d/dir.toml: is not a regular file",
                "conf.d/link.toml: cannot be read: No such file or directory (ENOENT)",
                "conf.d/pipe.toml: is not a regular file",
            ])
    }

    @Test("a conf.d that is no directory is a fault")
    func confdIsAFile() {
        directory.write("conf.d", "")
        #expect(faults("") == ["conf.d: cannot be read: Not a directory (ENOTDIR)"])
    }

    @Test("keys of other tools, and those of `on`, are reported with what to write")
    func foreignKeys() {
        let faults = self.faults(
            """
            [action.a]
            run = ["a"]
            cron = "0 3 * * *"
            schedule = "0 3 * * *"
            directory = "/srv"
            [action.a.environment]
            A = "1"
            [action.b]
            command = "b"
            """)
        #expect(
            faults == [
                "rxd.toml:3: action.a.cron: unknown key; it belongs to a source: write on = { cron = … }",
                "rxd.toml:4: action.a.schedule: unknown key; write on = { cron = … } or on = { calendar = … }",
                "rxd.toml:5: action.a.directory: unknown key; write cwd = \"/directory\"",
                "rxd.toml:6: action.a.environment: unknown key; write env = { NAME = \"value\" }",
                "rxd.toml:8: action.b: needs \"run\" (a program and its arguments) or \"builtin\"",
                "rxd.toml:9: action.b.command: unknown key; write run = [\"program\", \"argument\"]",
            ])
    }

    @Test("a grace period that is longer than stop-timeout is a warning where it is written")
    func graceBeyondStop() throws {
        func warnings(_ text: String) throws -> [String] {
            try load(text).warnings.map { $0.description.replacing(directory.path + "/", with: "") }
        }
        let reason =
            "is longer than stop-timeout (10s), after which a stopping daemon waits no longer; set stop-timeout in "
            + "[rxd] to at least 1m"
        let actions = "[action.a]\nrun = [\"/bin/true\"]\n"
        #expect(try warnings(actions + "grace = \"1m\"") == ["rxd.toml:3: warning: action.a.grace: \(reason)"])
        #expect(
            try warnings("[defaults]\ngrace = \"1m\"\n" + actions) == [
                "rxd.toml:2: warning: defaults.grace: \(reason)"
            ])
        #expect(try warnings("[rxd]\nstop-timeout = \"1m\"\n" + actions + "grace = \"1m\"").isEmpty)
        #expect(try warnings(actions + "grace = \"10s\"").isEmpty)
    }

    @Test("unknown keys are reported with what may have been meant")
    func unknownKeys() {
        let text = """
            titel = 1
            [limit]
            batch = 1
            [limits]
            linebytes = 4096
            [rxd]
            stoptimeout = "1s"
            [defaults]
            gracee = "1s"
            [action.a]
            run = ["x"]
            ouput = "text"
            zzz = 1
            "odd key" = 2
            """
        #expect(
            faults(text) == [
                "rxd.toml:1: titel: unknown key",
                "rxd.toml:2: limit: unknown key; did you mean \"limits\"?",
                "rxd.toml:5: limits.linebytes: unknown key; did you mean \"lineBytes\"?",
                "rxd.toml:7: rxd.stoptimeout: unknown key; did you mean \"stop-timeout\"?",
                "rxd.toml:9: defaults.gracee: unknown key; did you mean \"grace\"?",
                "rxd.toml:12: action.a.ouput: unknown key; did you mean \"output\"?",
                "rxd.toml:13: action.a.zzz: unknown key",
                "rxd.toml:14: action.a.\"odd key\": unknown key",
            ])
    }

    @Test("a condition names a reactor that there is and a program that is one")
    func conditions() {
        let text = """
            [reactor.mode]
            initial = 1
            reduce = ".mutation"
            [action.a]
            run = ["x"]
            enabled = { reactor = "none", when = "." }
            [action.b]
            run = ["x"]
            enabled = { reactor = "mode", when = ".a |" }
            [action.c]
            run = ["x"]
            enabled = { reactor = "mode" }
            [action.d]
            run = ["x"]
            enabled = false
            [action.e]
            run = ["x"]
            enabled = { reactor = "mode", when = ".a" }
            """
        let told = faults(text)
        #expect(told.count == 4)
        #expect(
            told.first
                == "rxd.toml:6: action.a.enabled.reactor: there is no reactor \"none\"; did you mean \"mode\"?")
        #expect(told.contains { $0.hasPrefix("rxd.toml:9: action.b.enabled.when: is not a valid jq program") })
        #expect(told.contains { $0.hasPrefix("rxd.toml:12: action.c.enabled") && $0.contains("needs \"when\"") })
        #expect(told.contains { $0.hasPrefix("rxd.toml:15: action.d.enabled: must be true or a condition") })
    }

    @Test("keys that come later are refused by name")
    func unsupported() {
        let text = """
            [action.a]
            run = ["x"]
            [[trigger]]
            """
        #expect(
            faults(text) == [
                "rxd.toml:3: trigger: is not a section; what starts an action is its key `on`, such as "
                    + "on = { every = \"1h\" }"
            ])
    }

    @Test("what an input does that comes while the action is executing, with its limit")
    func overlaps() throws {
        let configuration = try load(
            """
            [defaults]
            overlap = "join"
            [action.a]
            run = ["x"]
            [action.b]
            run = ["x"]
            overlap = "queue"
            durable = true
            [action.c]
            run = ["x"]
            overlap = "queue"
            limit = 3
            [action.d]
            builtin = "ticks"
            overlap = "concurrent"
            [action.e]
            builtin = "ticks"
            overlap = "concurrent"
            limit = 2
            [action.f]
            run = ["x"]
            overlap = "latest"
            history = false
            [action.g]
            run = ["x"]
            overlap = "queue"
            limit = 500
            parallel = 8
            [action.h]
            run = ["x"]
            overlap = "queue"
            limit = 3
            parallel = 1
            """)
        let definitions = configuration.actions.map {
            $0.definition(processes: Harness.launcher, evaluator: LocalEvaluator())
        }
        #expect(
            definitions.map(\.overlap) == [
                .join, .queue(limit: 100), .queue(limit: 3), .concurrent(limit: 8), .concurrent(limit: 2), .latest,
                .queue(limit: 500, parallel: 8), .queue(limit: 3),
            ])
        #expect(definitions.map(\.isDurable) == [false, true, false, false, false, false, false, false])
        #expect(definitions.map(\.keepsHistory) == [true, true, true, true, true, false, true, true])
        #expect(Set(definitions.map(\.fingerprint)).count == 8)
    }

    @Test("retry is read with its defaults, and \"none\" takes back that of [defaults]")
    func retry() throws {
        let configuration = try load(
            """
            [defaults]
            retry = { attempts = 2 }
            [action.a]
            run = ["x"]
            [action.b]
            run = ["x"]
            retry = { attempts = 5, delay = "100ms", backoff = 1.5, max = "1s" }
            [action.c]
            run = ["x"]
            retry = "none"
            [action.d]
            run = ["x"]
            retry = { attempts = 3, delay = "5m", backoff = 1 }
            """)
        #expect(
            configuration.actions.map(\.retry) == [
                RetryPolicy(attempts: 2, delay: .seconds(1), backoff: 2, max: .seconds(60)),
                RetryPolicy(attempts: 5, delay: .milliseconds(100), backoff: 1.5, max: .seconds(1)),
                nil,
                RetryPolicy(attempts: 3, delay: .seconds(300), backoff: 1, max: .seconds(300)),
            ])
    }

    @Test("by is read as a program, and gives an action groups and another fingerprint")
    func by() throws {
        func definition(_ more: String) throws -> ActionDefinition {
            try load("[action.a]\nrun = [\"x\"]\noverlap = \"queue\"\n\(more)").actions[0]
                .definition(processes: Harness.launcher, evaluator: LocalEvaluator())
        }
        let (without, with) = (try definition(""), try definition("by = '.env'\nlimit = 1000"))
        #expect(without.groups == nil && with.groups != nil)
        #expect(try definition("by = \"none\"").fingerprint == without.fingerprint)
        #expect(try definition("by = '.env'").fingerprint != without.fingerprint)
        #expect(try definition("by = '.name'").fingerprint != definition("by = '.env'").fingerprint)
        func group(_ input: String) throws -> InputGroups.Result? {
            with.groups?.group(of: try RawJSON(validating: input), at: 0)
        }
        #expect(try group(#"{"env":"prod"}"#) == .group("\"prod\""))
        #expect(try group("{}") == .group("null"))
        guard case .fault(let message)? = try group("7") else {
            Issue.record("7 has a group")
            return
        }
        #expect(message.hasPrefix("failed: ") && message.contains("number"))
        let many = try definition("by = '.env[]'").groups
        #expect(many?.group(of: try RawJSON(validating: #"{"env":[1,2]}"#), at: 0) != .group("1"))
        let long = try RawJSON(validating: #"{"env":"\#(String(repeating: "x", count: 1023))"}"#)
        #expect(with.groups?.group(of: long, at: 0) == .fault("gave more than 1024 bytes"))
    }

    @Test("faults of by and parallel name the key, with the line")
    func groupFaults() {
        let text = """
            [defaults]
            parallel = 3
            by = "."
            [action.a]
            run = ["x"]
            by = ".env |"
            [action.b]
            run = ["x"]
            by = 3
            [action.c]
            run = ["x"]
            overlap = "concurrent"
            parallel = 3
            [action.d]
            run = ["x"]
            parallel = 3
            [action.e]
            run = ["x"]
            overlap = "queue"
            parallel = 0
            [action.f]
            run = ["x"]
            overlap = "queue"
            parallel = "all"
            [action.g]
            run = ["x"]
            overlap = "queue"
            by = ".env"
            limit = 1001
            """
        let found = faults(text)
        #expect(found.contains { $0.hasPrefix("rxd.toml:6: action.a.by: is not a valid jq program: ") })
        #expect(
            found.filter { !$0.contains("not a valid jq") } == [
                "rxd.toml:2: defaults.parallel: is a key of actions; [defaults] has only \"overlap\"",
                "rxd.toml:3: defaults.by: is a key of actions",
                "rxd.toml:9: action.b.by: must be a jq program in a string, not an integer",
                "rxd.toml:13: action.c.parallel: needs overlap = \"queue\"; for \"concurrent\", it is \"limit\"",
                "rxd.toml:16: action.d.parallel: needs overlap = \"queue\"",
                "rxd.toml:20: action.e.parallel: must be from 1 to 10000",
                "rxd.toml:24: action.f.parallel: must be an integer, not a string",
                "rxd.toml:29: action.g.limit: must be from 1 to 1000 with \"by\"",
            ])
    }

    @Test("faults of overlap, limit, durable, history and retry name the key")
    func policyFaults() {
        let text = """
            [defaults]
            limit = 3
            [action.a]
            run = ["x"]
            overlap = "queu"
            [action.b]
            run = ["x"]
            limit = 3
            [action.c]
            run = ["x"]
            overlap = "queue"
            limit = 0
            [action.d]
            run = ["x"]
            durable = true
            history = "yes"
            [action.e]
            run = ["x"]
            retry = 3
            [action.f]
            run = ["x"]
            retry = { delay = "2s" }
            [action.g]
            run = ["x"]
            retry = { attempts = 101, backoff = 0.5 }
            [action.h]
            run = ["x"]
            retry = { attempts = 3, delay = "2s", max = "1s", tries = 1 }
            [history]
            count = -1
            """
        #expect(
            faults(text) == [
                "rxd.toml:2: defaults.limit: is a key of actions; [defaults] has only \"overlap\"",
                "rxd.toml:5: action.a.overlap: "
                    + #"must be one of "reject", "queue", "concurrent", "latest", "join", not "queu""#,
                "rxd.toml:8: action.b.limit: needs overlap = \"queue\" or \"concurrent\"",
                "rxd.toml:12: action.c.limit: must be from 1 to 1000000",
                "rxd.toml:15: action.d.durable: needs overlap = \"queue\"; otherwise no input waits",
                "rxd.toml:16: action.d.history: must be true or false, not a string",
                "rxd.toml:19: action.e.retry: must be a table such as { attempts = 3, delay = \"2s\" } or \"none\"",
                "rxd.toml:22: action.f.retry: needs \"attempts\"",
                "rxd.toml:25: action.g.retry.attempts: must be from 1 to 100",
                "rxd.toml:25: action.g.retry.backoff: must be from 1 to 100",
                "rxd.toml:28: action.h.retry: \"max\" is shorter than \"delay\"",
                "rxd.toml:28: action.h.retry.tries: unknown key",
                "rxd.toml:30: history.count: must be from 0 to 100000000",
            ])
    }

    @Test("values of the wrong type are reported with the type they have")
    func types() {
        let text = """
            [limits]
            batch = "64"
            depth = 1.5
            [rxd]
            stop-timeout = 10
            log-level = 7
            [action]
            a = "x"
            b = { run = "df -h" }
            c = { run = ["df", 1, true, [], 2020-01-01], description = 1 }
            d = { run = ["df"], output = 1, cwd = [], env = "A=1", timeout = 5, overlap = 1, scheduler = 1 }
            e = { run = ["df"], env = { A = 1 } }
            f = { builtin = 1 }
            """
        #expect(
            faults(text) == [
                "rxd.toml:2: limits.batch: must be an integer, not a string",
                "rxd.toml:3: limits.depth: must be an integer, not a float",
                "rxd.toml:5: rxd.stop-timeout: must be a duration such as \"10s\", not an integer",
                "rxd.toml:6: rxd.log-level: must be a string, not an integer",
                "rxd.toml:8: action.a: must be a table, not a string",
                "rxd.toml:9: action.b.run: must be an array, such as [\"df\", \"-h\"], not a string",
                "rxd.toml:10: action.c.description: must be a string, not an integer",
                "rxd.toml:10: action.c.run[1]: must be a string or { input = \"/pointer\" }, not an integer",
                "rxd.toml:10: action.c.run[2]: must be a string or { input = \"/pointer\" }, not a boolean",
                "rxd.toml:10: action.c.run[3]: must be a string or { input = \"/pointer\" }, not an array",
                "rxd.toml:10: action.c.run[4]: must be a string or { input = \"/pointer\" }, not a date",
                "rxd.toml:11: action.d.cwd: must be a string, not an array",
                "rxd.toml:11: action.d.env: must be a table, not a string",
                "rxd.toml:11: action.d.output: must be a string, not an integer",
                "rxd.toml:11: action.d.overlap: must be a string, not an integer",
                "rxd.toml:11: action.d.scheduler: must be a string, not an integer",
                "rxd.toml:11: action.d.timeout: must be a duration such as \"10s\" or \"none\", not an integer",
                "rxd.toml:12: action.e.env.A: must be a string, not an integer",
                "rxd.toml:13: action.f.builtin: must be a string, not an integer",
            ])
    }

    @Test("values out of range or of no meaning are reported with what would do")
    func values() {
        let text = """
            [limits]
            batch = 0
            [rxd]
            stop-timeout = "ten"
            [action.a]
            run = []
            [action.b]
            run = [""]
            output = "lnes"
            timeout = "0s"
            cwd = "relative"
            scheduler = "inline"
            overlap = "never"
            env = { "A=B" = "", RX_ACTION = "", LISTEN_FDS = "", "1A" = "", NOTIFY_SOCKET = "" }
            [action.c]
            run = [{ input = "/x" }]
            [action.d]
            run = ["x", { input = "x" }, { inptu = "/x" }, { input = "/x", default = 1 }]
            [action.e]
            [action.f]
            builtin = "eco"
            run = ["x"]
            [action.g]
            builtin = "eco"
            [action.h]
            builtin = "echo"
            output = "text"
            grace = "1s"
            cwd = "/"
            env = {}
            [defaults]
            scheduler = "inline"
            """
        #expect(
            faults(text) == [
                "rxd.toml:2: limits.batch: must be from 1 to 65536",
                "rxd.toml:4: rxd.stop-timeout: must be a duration such as \"500ms\", \"10s\" or \"1h30m\", not \"ten\"",
                "rxd.toml:6: action.a.run: must name a program",
                "rxd.toml:8: action.b.run[0]: must name a program",
                "rxd.toml:9: action.b.output: must be one of \"lines\", \"json\", \"text\", not \"lnes\"",
                "rxd.toml:10: action.b.timeout: must be at least \"1ms\"",
                "rxd.toml:11: action.b.cwd: must be an absolute path, or \".\" for the daemon's own directory",
                "rxd.toml:12: action.b.scheduler: \"inline\" is only for built-ins: a process would block every client",
                "rxd.toml:13: action.b.overlap: "
                    + #"must be one of "reject", "queue", "concurrent", "latest", "join", not "never""#,
                "rxd.toml:14: action.b.env.\"A=B\": is not a valid variable name",
                "rxd.toml:14: action.b.env.1A: is not a valid variable name",
                "rxd.toml:14: action.b.env.LISTEN_FDS: is set or removed by rxd itself",
                "rxd.toml:14: action.b.env.NOTIFY_SOCKET: is set or removed by rxd itself",
                "rxd.toml:14: action.b.env.RX_ACTION: is set or removed by rxd itself",
                "rxd.toml:16: action.c.run[0]: must be a string: a client cannot choose the program",
                "rxd.toml:18: action.d.run[1].input: must be a JSON pointer such as \"/name\"",
                "rxd.toml:18: action.d.run[2]: needs \"input\", a JSON pointer such as \"/name\"",
                "rxd.toml:18: action.d.run[2].inptu: unknown key; did you mean \"input\"?",
                "rxd.toml:18: action.d.run[3].default: unknown key",
                "rxd.toml:19: action.e: needs \"run\" (a program and its arguments) or \"builtin\"",
                "rxd.toml:21: action.f.builtin: cannot be combined with \"run\"",
                "rxd.toml:24: action.g.builtin: must be one of \"echo\", \"fail\", \"ticks\", not \"eco\"",
                "rxd.toml:27: action.h.output: is a key of process actions",
                "rxd.toml:28: action.h.grace: is a key of process actions",
                "rxd.toml:29: action.h.cwd: is a key of process actions",
                "rxd.toml:30: action.h.env: is a key of process actions",
                "rxd.toml:32: defaults.scheduler: must be one of \"auto\", \"serial\", not \"inline\"",
            ])
    }

    @Test("names are at most 64 of a few characters; a dot wants quotes")
    func names() throws {
        let longest = String(repeating: "x", count: 64)
        _ = try load("[action.\(longest)]\nrun = [\"x\"]\n[action.\"a.B_0-9\"]\nrun = [\"x\"]\n")
        let rule = "a name must be 1 to 64 of the characters A-Z a-z 0-9 _ . -"
        #expect(faults("[action.\(longest)x]\nrun = [\"x\"]") == ["rxd.toml:1: action.\(longest)x: \(rule)"])
        #expect(faults("[action.\"\"]\nrun = [\"x\"]") == ["rxd.toml:1: action.\"\": \(rule)"])
        #expect(faults("[action.\"a/b\"]\nrun = [\"x\"]") == ["rxd.toml:1: action.\"a/b\": \(rule)"])
        #expect(
            faults("[action.a.b]\nrun = [\"x\"]") == [
                "rxd.toml:1: action.a: needs \"run\" (a program and its arguments) or \"builtin\"",
                "rxd.toml:1: action.a.b: unknown key; write a name with a dot as [action.\"a.b\"]",
            ])
    }

    @Test("what is set in two files is reported at the second, with the place of the first")
    func twice() {
        directory.write("conf.d/1.toml", "[limits]\nbatch = 1\n\n[action.a]\nbuiltin = \"echo\"\n")
        directory.write("conf.d/2.toml", "[limits]\nbatch = 1\n[rxd]\nstop-timeout = \"2s\"\n")
        let first = "first at \(directory.path)"
        #expect(
            faults("[action.a]\nrun = [\"x\"]\n[rxd]\nstop-timeout = \"1s\"\n")
                == [
                    "conf.d/1.toml:4: action.a: defined twice; \(first)/rxd.toml:1",
                    "conf.d/2.toml:2: limits.batch: set twice; \(first)/conf.d/1.toml:2",
                    "conf.d/2.toml:4: rxd.stop-timeout: set twice; \(first)/rxd.toml:4",
                ].map { String($0.replacing(directory.path + "/", with: "")) })
    }

    @Test("a broken file does not hide the faults of the others")
    func severalFiles() {
        directory.write("conf.d/1.toml", "broken")
        directory.write("conf.d/2.toml", "[action.a]\nrun = 1\n")
        let found = faults("[limits]\nbatch = 0\n")
        #expect(found.map { $0.prefix { $0 != " " } } == ["rxd.toml:2:", "conf.d/1.toml:1:", "conf.d/2.toml:2:"])
    }
}
