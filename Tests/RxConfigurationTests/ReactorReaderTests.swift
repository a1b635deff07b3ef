import HostTestSupport
import RxPlatform
import RxRecords
import RxJq
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxConfiguration

@Suite(.countedApart)
struct ReactorReaderTests {
    private let directory = TemporaryDirectory()

    private func load(_ text: String) throws -> Configuration {
        directory.write("rxd.toml", text)
        return try Configuration.load(directory: directory.path)
    }

    private func faults(_ text: String) -> [String] {
        do {
            _ = try load(text)
            return []
        } catch {
            return (error as? ConfigurationErrors)?.faults.map {
                String($0.description.replacing(directory.path + "/", with: ""))
            } ?? ["\(error)"]
        }
    }

    @Test("every key of a reactor is read")
    func everything() throws {
        directory.write("state.json", #"{"on": false, "big": 12345678901234567890}"#)
        let configuration = try load(
            """
            [action.deploy]
            run = ["deploy"]
            [reactor.mode]
            initial = "day"
            reduce = ".mutation"
            [reactor.light]
            description = "The light in the hall"
            initial = "state.json"
            action = { enum = ["toggle"] }
            mutate = [
                { when = '.action == "toggle"', mutation = '{on: (.state.on | not)}' },
                { execute = "deploy", input = ".action", element = '{e: .element}', failure = '{f: .error}' },
            ]
            reduce = '.state.on = .mutation.on | .state'
            merge = [{ action = "deploy", mutation = ".element" }, { reactor = "mode", mutation = ".other" }]
            persist = true
            durability = "sync"
            on-change = "replay"
            history = 5
            history-bytes = "1MiB"
            allow = { users = ["root"] }
            """)
        let reactor = try #require(configuration.reactors.first)
        #expect(configuration.reactors.map(\.name) == ["light", "mode"])
        #expect(reactor.summary == "The light in the hall")
        #expect(reactor.schema?.violations(of: RawJSON("dance")).isEmpty == false)
        #expect(reactor.persistence?.durability == .sync)
        #expect(reactor.persistence?.onChange == .replay)
        #expect(reactor.persistence?.history == 5)
        #expect(reactor.persistence?.historyBytes == 1_048_576)
        #expect(reactor.access.execute != .everyone)
        let plan = reactor.plan
        #expect(RawJSON(plan.initial).text == #"{"on":false,"big":12345678901234567890}"#)
        #expect(plan.actions == [nil, "deploy"])
        #expect(plan.sources == [.action("deploy"), .reactor("mode")])
        #expect(plan.programs.merges == [".element", ".other"])
        #expect(plan.programs.rules[0].when == #".action == "toggle""#)
        #expect(plan.programs.rules[1].failure == "{f: .error}")
        #expect(configuration.reactors[1].persistence == nil)
    }

    @Test("a retired built-in reactor is a warning with file, line, and replacement, and is not hosted")
    func retired() throws {
        let configuration = try load(
            """
            [reactor.tasks]
            builtin = "tasks"
            persist = true
            history = 5
            [reactor.light]
            initial = 1
            reduce = "."
            """)
        #expect(configuration.reactors.map(\.name) == ["light"])
        let warnings = configuration.warnings.map { $0.description.replacing(directory.path + "/", with: "") }
        #expect(
            warnings == [
                "rxd.toml:2: warning: reactor.tasks.builtin: is retired since 0.1.0 and ignored: this reactor is not "
                    + "hosted, and its kept states stay; the example Examples/TodoDaemon hosts the task list"
            ])
        // The rest of its keys are read as before.
        #expect(
            faults("[reactor.tasks]\nbuiltin = \"tasks\"\npersits = true") == [
                "rxd.toml:3: reactor.tasks.persits: unknown key; did you mean \"persist\"?"
            ])
        #expect(faults("[action.a]\nbuiltin = \"tasks\"").count == 1)
    }

    @Test("the fingerprint follows what decides states, and nothing else")
    func fingerprint() throws {
        func fingerprint(_ text: String) throws -> String? {
            try load("[reactor.r]\n" + text).reactors.first?.definition(host: FakeHost(), clock: .system).fingerprint
        }
        let first = try fingerprint("initial = 1\nreduce = \".state\"")
        #expect(first != nil)
        #expect(try fingerprint("initial = 1\nreduce = \".state\"\ndescription = \"new\"\npersist = true") == first)
        #expect(first == #"initial="1" reduce=".state""#, "kept states have the fingerprints of earlier versions")
        #expect(try fingerprint("initial = 2\nreduce = \".state\"") != first)
        let rules = "initial = 1\nreduce = \".state\"\nmutate = [{ when = \".\", mutation = \".\" }]\n"
        let others = [rules, rules + "otherwise = \"ignore\"", rules.replacing("mutation", with: "refuse")]
        #expect(Set(try others.map(fingerprint)).count == 3)
        #expect(try fingerprint(rules + "otherwise = \"refuse\"") == fingerprint(rules))
        #expect(try fingerprint("initial = 1\nreduce = \".mutation\"") != first)
        #expect(try fingerprint("initial = 1\nreduce = \".state\"\nmutate = [{ mutation = \".\" }]") != first)
    }

    @Test("every fault names file, line and key")
    func everyFault() {
        let text = """
            [action.deploy]
            run = ["deploy"]
            [reactor.deploy]
            initial = "no.json"
            [reactor."a b"]
            initial = 1979-05-27
            reduce = ".state +"
            colour = "red"
            mutate = [
                { when = ".action[", mutation = 7 },
                { execute = "deploi", input = "." },
                { element = "." },
                "x",
            ]
            [reactor.c]
            reduce = '.'
            initial = 1
            durability = "often"
            history = 0
            history-bytes = "1KiB"
            merge = [
                { reactor = "nobody", mutation = "." },
                { mutation = 'import "a" as a; .' },
                { action = "deploy", reactor = "c", mutation = "." },
            ]
            """
        #expect(
            faults(text) == [
                "rxd.toml:3: reactor.deploy: is also the name of an action; a subscription could mean either",
                "rxd.toml:3: reactor.deploy: needs \"reduce\", a jq program over {state, mutation}",
                "rxd.toml:4: reactor.deploy.initial: no.json: cannot be read: No such file or directory (ENOENT)",
                "rxd.toml:5: reactor.\"a b\": a name must be 1 to 64 of the characters A-Z a-z 0-9 _ . -",
                "rxd.toml:6: reactor.\"a b\".initial: is a date; JSON has no dates",
                "rxd.toml:7: reactor.\"a b\".reduce: is not a valid jq program: "
                    + "it ends too early at column 19: .state +",
                "rxd.toml:8: reactor.\"a b\".colour: unknown key",
                "rxd.toml:10: reactor.\"a b\".mutate[0].mutation: must be a jq program in a string, not an integer",
                "rxd.toml:10: reactor.\"a b\".mutate[0].when: is not a valid jq program: "
                    + "it ends too early at column 23: .action[",
                #"rxd.toml:11: reactor."a b".mutate[1].execute: there is no action "deploi"; did you mean "deploy"?"#,
                "rxd.toml:12: reactor.\"a b\".mutate[2]: needs \"mutation\", \"execute\", or \"refuse\"",
                "rxd.toml:12: reactor.\"a b\".mutate[2].element: needs \"execute\" in the same rule",
                "rxd.toml:13: reactor.\"a b\".mutate[3]: must be a table, not a string",
                "rxd.toml:15: reactor.c.durability: needs persist = true; otherwise nothing is kept",
                "rxd.toml:15: reactor.c.history: needs persist = true; otherwise nothing is kept",
                "rxd.toml:15: reactor.c.history-bytes: needs persist = true; otherwise nothing is kept",
                "rxd.toml:18: reactor.c.durability: must be one of \"sync\", \"normal\", \"off\", not \"often\"",
                "rxd.toml:19: reactor.c.history: must be from 1 to 1000000",
                #"rxd.toml:20: reactor.c.history-bytes: must be from "64KiB" to "1TiB""#,
                "rxd.toml:22: reactor.c.merge[0].reactor: there is no reactor \"nobody\"",
                "rxd.toml:23: reactor.c.merge[1]: needs \"action\" or \"reactor\", one of the two",
                "rxd.toml:23: reactor.c.merge[1].mutation: is not a valid jq program: module not found: a",
                "rxd.toml:24: reactor.c.merge[2]: needs \"action\" or \"reactor\", one of the two",
            ])
    }

    @Test("a fault of a program is at its line and column in the file; escapes leave those of the program")
    func places() {
        let text = """
            [reactor.r]
            initial = 1
            reduce = '''
            .state
              | foo(1)
            '''
            mutate = [{ when = '.action = "x" or .a.b c', mutation = "\\"a\\" | }" }]
            """
        #expect(
            faults(text) == [
                "rxd.toml:5: reactor.r.reduce: is not a valid jq program: foo/1 is not defined at column 5:   | foo(1)",
                "rxd.toml:7: reactor.r.mutate[0].mutation: is not a valid jq program: unexpected \"}\" at column 7 of "
                    + "the program: \"a\" | }",
                "rxd.toml:7: reactor.r.mutate[0].when: is not a valid jq program: unexpected \"c\" at column 43: "
                    + ".action = \"x\" or .a.b c",
            ])
    }

    @Test(
        "a condition that assigns is a warning",
        arguments: [
            (".action = \"x\"", true), ("(.a|=1)", false), (".a=-1", true), (".a == 1 and .b!=2 and .c<=3", false),
            ("\"=\" # =", false), (".a //= 1", false), ("\"\\(.a = 1)\"", true),
        ])
    func assignment(when: String, isWarning: Bool) throws {
        let configuration = try load(
            "[reactor.r]\ninitial = 1\nreduce = \".\"\nmutate = [{ when = '''\(when)''', mutation = \".\" }]")
        #expect(
            configuration.warnings.map(\.message)
                == (isWarning ? ["\"=\" assigns; write \"==\" to compare"] : []))
    }

    @Test("a rule that refuses needs a condition and does nothing else; otherwise needs rules")
    func refusals() throws {
        let text = """
            [reactor.r]
            initial = 1
            reduce = "."
            mutate = [
                { when = ".action", refuse = '"no"' },
                { refuse = '"no"' },
                { when = ".action", refuse = '"no"', mutation = "." },
            ]
            otherwise = "drop"
            [reactor.s]
            initial = 1
            reduce = "."
            otherwise = "ignore"
            """
        #expect(
            faults(text) == [
                "rxd.toml:6: reactor.r.mutate[1]: needs \"when\"; without it, the reactor would refuse every action",
                "rxd.toml:7: reactor.r.mutate[2].mutation: cannot be combined with \"refuse\", with which a rule does "
                    + "nothing else",
                "rxd.toml:9: reactor.r.otherwise: must be one of \"refuse\", \"ignore\", not \"drop\"",
                "rxd.toml:10: reactor.s.otherwise: needs \"mutate\"; without rules, each action is the mutation",
            ])
        let rules = "mutate = [{ when = \".action\", refuse = '\"no\"' }, { mutation = \".\" }]\n"
        let programs = try load("[reactor.r]\ninitial = 1\nreduce = \".\"\n\(rules)otherwise = \"ignore\"").reactors[0]
            .plan.programs
        #expect(programs.rules.map(\.refuse) == ["\"no\"", nil])
        #expect(programs.ignoresOthers)
    }

    @Test("a reactor may not merge its own state, by whatever way")
    func cycles() {
        func reactor(_ name: String, merging other: String) -> String {
            "[reactor.\(name)]\ninitial = 1\nreduce = \".\"\nmerge = [{ reactor = \"\(other)\", mutation = \".\" }]\n"
        }
        #expect(faults(reactor("a", merging: "a")) == ["rxd.toml:1: reactor.a.merge: merges its own state"])
        #expect(
            faults(reactor("a", merging: "b") + reactor("b", merging: "c") + reactor("c", merging: "b")) == [
                "rxd.toml:5: reactor.b.merge: merges its own state through c",
                "rxd.toml:9: reactor.c.merge: merges its own state through b",
            ])
    }

    @Test("a reload compiles the programs that the configuration before did not have, and no others")
    func knownPrograms() throws {
        let stream = "[stream.s]\nevery = \"1h\"\nthrough = [{ map = \"$key\" }]\n"
        func text(_ reduce: String) -> String { stream + "[reactor.r]\ninitial = 1\nreduce = \"\(reduce)\"\n" }
        var earlier = try load(text(".state"))
        #expect(earlier.validPrograms.count == 2 && earlier.validPrograms.contains(".state"))
        // Nobody looks at what is taken for valid.
        earlier.validPrograms.insert(".known +")
        func reload(_ reduce: String) throws -> Configuration {
            directory.write("rxd.toml", text(reduce))
            return try Configuration.load(directory: directory.path, surroundings: .ofTests, after: earlier)
        }
        #expect(try reload(".known +").validPrograms.count == 2)
        #expect(try reload(".mutation").validPrograms.subtracting(earlier.validPrograms) == [".mutation"])
        #expect(throws: ConfigurationErrors.self) { try reload(".new +") }
    }

    @Test("the lines of rules and programs are kept for messages, and do not make another reactor of it")
    func lines() throws {
        let text = #"""
            [action.deploy]
            run = ["deploy"]
            enabled = { reactor = "light", when = ".on" }
            [reactor.light]
            initial = {}
            mutate = [
                { when = 'true', mutation = """
            .action""" },
                { execute = "deploy" },
            ]
            reduce = '.state'
            merge = [{ action = "deploy", mutation = ".element" }]
            """#
        let configuration = try load(text)
        let light = try #require(configuration.reactors.first)
        #expect(
            light.lines.mapValues(\.line) == [
                "mutate[0]": 7, "mutate[0].when": 7, "mutate[0].mutation": 7, "mutate[1]": 9, "reduce": 11,
                "merge[0].mutation": 12,
            ])
        #expect(Set(light.lines.values.map(\.file)) == [directory.path + "/rxd.toml"])
        #expect(light.plan.reactor == "light")
        let moved = try #require(try load("# another line\n" + text).reactors.first)
        #expect(moved.lines["reduce"]?.line == 12 && moved.plan.fingerprint == light.plan.fingerprint)
    }
}
