import HostTestSupport
import RxHost
import RxJSON
import RxStreams
import Testing
import TestSupport

@testable import RxConfiguration

@Suite(.countedApart)
struct StreamReaderTests {
    private let configurations = StreamConfigurations()

    private func stream(_ text: String, _ name: String = "s") throws -> ConfiguredStream {
        try #require(try configurations.load(text).streams.first { $0.name == name })
    }

    @Test("the examples of the contract are read as they are typed there")
    func contract() throws {
        let configuration = try configurations.load(
            #"""
            [action.backup]
            run = ["backup", "--day", { input = "/day" }]
            on  = { calendar = "*-*-* 03:00", zone = "Europe/Berlin", input = '{day: .local[0:10]}' }

            [action.site]
            run     = ["make", "-C", "/srv/site"]
            overlap = "latest"
            on      = "saves"

            [stream.saves]
            description = "Someone has saved a page"
            path        = "/srv/site/content"
            recursive   = true
            include     = ["*.md"]
            through     = [{ debounce = "300ms", at-most = "5s" }]

            [action.alert]
            run     = ["mail-the-team", { input = "/text" }]
            overlap = "queue"
            [[action.alert.on]]
            name    = "failures"
            action  = "*"
            channel = "errors"
            persist = true
            through = [
              { filter = '.action != "alert"' },
              { groupBy = '.action', through = [{ throttle = "10m" }] },
            ]
            input   = '{text: "\(.action): \(.error.message)"}'
            """#)
        #expect(configuration.warnings.isEmpty)
        #expect(configuration.actions.map(\.name) == ["alert", "backup", "site"])
        #expect(
            configuration.streams.map(\.definition) == [
                StreamDefinition(
                    name: "backup@1",
                    source: .external(
                        ExternalSource(
                            "calendar", ["calendar": .text("*-*-* 03:00"), "zone": .text("Europe/Berlin")]))),
                StreamDefinition(
                    name: "failures",
                    source: .external(
                        ExternalSource("action", ["action": .texts(["*"]), "channel": .texts(["errors"])])),
                    steps: [
                        StepDefinition(
                            "filter", ["filter": .program(StreamProgram(#".action != "alert""#, .condition))]),
                        StepDefinition(
                            "groupBy",
                            [
                                "groupBy": .program(StreamProgram(".action", .one)),
                                "through": .steps([StepDefinition("throttle", ["throttle": .duration(600_000_000)])]),
                            ]),
                    ], isPersistent: true),
                StreamDefinition(
                    name: "saves", summary: "Someone has saved a page",
                    source: .external(
                        ExternalSource(
                            "path",
                            [
                                "path": .text("/srv/site/content"), "recursive": .boolean(true),
                                "include": .texts(["*.md"]),
                            ])),
                    steps: [
                        StepDefinition(
                            "debounce", ["debounce": .duration(300_000), "at-most": .duration(5_000_000)])
                    ]),
            ])
        #expect(
            configuration.bindings == [
                BindingDefinition(
                    target: .action("alert"), stream: "failures",
                    input: StreamProgram(#"{text: "\(.action): \(.error.message)"}"#, .one)),
                BindingDefinition(
                    target: .action("backup"), stream: "backup@1",
                    input: StreamProgram("{day: .local[0:10]}", .one)),
                BindingDefinition(target: .action("site"), stream: "saves"),
            ])
        #expect(configuration.streams.map(\.owner) == [.action("backup"), .action("alert"), nil])
    }

    @Test("an array of on has names of streams and tables; a table without a name is named by its place")
    func array() throws {
        let configuration = try configurations.load(
            """
            [stream.saves]
            path = "/srv"
            [reactor.seen]
            initial = 0
            reduce = ".state"
            on = ["saves", { signal = "USR1", when-full = "refuse" }, { unit = "a.service", name = "a" }]
            """)
        #expect(configuration.streams.map(\.name) == ["a", "saves", "seen@2"])
        #expect(configuration.bindings.map(\.stream) == ["saves", "seen@2", "a"])
        #expect(configuration.bindings.map(\.whenFull) == [.wait, .refuse, .wait])
        #expect(configuration.bindings.allSatisfy { $0.target == .reactor("seen") })
    }

    @Test("a slot may be a native time of TOML, with or without a fraction and an offset")
    func nativeTimes() throws {
        let times = [
            "2026-12-24T18:00:00": "2026-12-24T18:00:00", "2026-12-24T18:00:00.5": "2026-12-24T18:00:00.500000000",
            "2026-12-24 18:00:00Z": "2026-12-24T18:00:00+00:00",
            "2026-12-24T18:00:00-03:30": "2026-12-24T18:00:00-03:30", "\"2026-12-24T18:00\"": "2026-12-24T18:00",
        ]
        for (written, read) in times {
            let stream = try stream("[stream.s]\nat = \(written)\n")
            #expect(stream.definition.source == .external(ExternalSource("at", ["at": .text(read)])), "\(written)")
        }
    }

    @Test("every kind of source is read")
    func sources() throws {
        let expected: [(text: String, source: SourceDefinition)] = [
            (#"every = "24h""#, external("every", .duration(86_400_000_000))),
            (#"cron = "0 3 * * mon""#, external("cron", .text("0 3 * * mon"))),
            ("start = true", external("start", .boolean(true))),
            (#"lines = "/var/log/x""#, external("lines", .text("/var/log/x"))),
            (#"journal = { PRIORITY = "0..3" }"#, external("journal", .table(["PRIORITY": "0..3"]))),
            (#"bus = { member = "M" }"#, external("bus", .table(["member": "M"]))),
            (#"unit = "a*.service""#, external("unit", .text("a*.service"))),
            (#"signal = "USR2""#, external("signal", .text("USR2"))),
            (#"action = "a""#, external("action", .texts(["a"]))),
            (#"reactor = "r""#, external("reactor", .text("r"))),
            (#"program = ["p", "-q", ""]"#, external("program", .texts(["p", "-q", ""]))),
            ("subject = true", external("subject", .boolean(true))),
            (#"stream = "t""#, .stream("t", channel: .elements)),
            ("stream = \"t\"\nchannel = \"firings\"", .stream("t", channel: .firings)),
            (
                #"merge = ["t", { start = true }]"#,
                .merge([.stream("t", channel: .elements), external("start", .boolean(true))])
            ),
            (
                #"zip = { b = "t", a = { stream = "t", channel = "errors" } }"#,
                .zip([
                    NamedSource(name: "a", source: .stream("t", channel: .errors)),
                    NamedSource(name: "b", source: .stream("t", channel: .elements)),
                ])
            ),
            (
                #"combineLatest = { a = "t" }"#,
                .combineLatest([NamedSource(name: "a", source: .stream("t", channel: .elements))])
            ),
        ]
        for (text, source) in expected {
            let read = try stream(
                """
                [action.a]
                run = ["a"]
                [reactor.r]
                initial = 0
                reduce = "."
                [stream.t]
                subject = true
                [stream.s]
                \(text)
                """)
            #expect(read.definition.source == source)
        }
    }

    private func external(_ kind: String, _ main: ArgumentValue) -> SourceDefinition {
        .external(ExternalSource(kind, [kind: main]))
    }

    @Test("every kind of argument of an operator is read")
    func arguments() throws {
        let steps = try stream(
            """
            [action.a]
            run = ["a"]
            [stream.t]
            subject = true
            [stream.s]
            subject = true
            through = [
              { scan = ".state + 1", initial = { n = [1, 2.5] } }, { pairwise = true }, { take = 3 },
              { throttle = "1s", latest = false }, { buffer = true, count = 3 }, { buffer = "1m" },
              { flatMap = "a", input = ".x", yields = "each", limit = 2 }, { retry = 3, delay = "5s" }, { catch = "." },
              { concatMap = { each = ".[]", through = [{ skip = 1 }] } }, { merge = ["t"] }, { takeUntil = "t" },
            ]
            """
        ).definition.steps
        let expected = [
            StepDefinition(
                "scan",
                ["scan": .program(StreamProgram(".state + 1", .one)), "initial": .json(RawJSON(["n": [1, 2.5]]))]),
            StepDefinition("pairwise", ["pairwise": .boolean(true)]),
            StepDefinition("take", ["take": .count(3)]),
            StepDefinition("throttle", ["throttle": .duration(1_000_000), "latest": .boolean(false)]),
            StepDefinition("buffer", ["buffer": .boolean(true), "count": .count(3)]),
            StepDefinition("buffer", ["buffer": .duration(60_000_000)]),
            StepDefinition(
                "flatMap",
                [
                    "flatMap": .text("a"), "input": .program(StreamProgram(".x", .one)), "yields": .text("each"),
                    "limit": .count(2),
                ]),
            StepDefinition("retry", ["retry": .count(3), "delay": .duration(5_000_000)]),
            StepDefinition("catch", ["catch": .program(StreamProgram(".", .many))]),
            StepDefinition(
                "concatMap",
                [
                    "concatMap": .each(
                        StreamProgram(".[]", .many), through: [StepDefinition("skip", ["skip": .count(1)])])
                ]),
            StepDefinition("merge", ["merge": .sources([.stream("t", channel: .elements)])]),
            StepDefinition("takeUntil", ["takeUntil": .source(.stream("t", channel: .elements))]),
        ]
        #expect(steps == expected)
    }

    @Test("a stream is visible to those who see its parts, or may manage; allow grants more")
    func access() throws {
        let text = """
            [access]
            manage = { users = ["root"] }
            [action.a]
            run = ["a"]
            [reactor.r]
            initial = 0
            reduce = "."
            [stream.t]
            subject = true
            [stream.s]
            merge = ["t", { action = "a" }, { reactor = "r" }]
            through = [{ flatMap = "a" }]
            [stream.files]
            path = "/srv"
            allow = { subscribe = "all" }
            """
        let parts = try stream(text)
        #expect(parts.access.parts == ["t", "a", "r"])
        #expect(!parts.access.needsManage)
        let root = Access.Grant.only(users: [0], groups: [])
        #expect(parts.access.granted == Access(execute: .nobody, subscribe: .nobody, manage: root))
        let files = try stream(text, "files")
        #expect(files.access.needsManage)
        #expect(files.access.granted == Access(execute: .nobody, subscribe: .everyone, manage: root))
    }

    @Test("programs, steps, and the table have their lines")
    func lines() throws {
        let stream = try stream(
            """
            [stream.s]
            subject = true
            through = [
              { map = "." },
              { groupBy = ".a", through = [
                { filter = ".b" },
              ] },
            ]
            enabled = { stream = "t", when = ".c" }
            [stream.t]
            subject = true
            """)
        #expect(
            stream.lines.mapValues(\.line) == [
                "": 1, "through[0]": 4, "through[0].map": 4, "through[1]": 5, "through[1].groupBy": 5,
                "through[1].through[0]": 6, "through[1].through[0].filter": 6, "enabled.when": 9,
            ])
    }

    @Test("a stream is enabled by reactors, streams, paths, and combinations of these")
    func enabled() throws {
        let stream = try stream(
            """
            [reactor.r]
            initial = 0
            reduce = "."
            [stream.t]
            subject = true
            [stream.s]
            subject = true
            enabled = { all = [
              { reactor = "r", when = ".x" },
              { any = [{ stream = "t", when = ".y" }, { path-exists = "/run/go" }] },
              { not = { path-exists = "/run/stop" } },
            ] }
            """)
        #expect(
            stream.condition
                == .all([
                    .reactor("r", when: StreamProgram(".x", .condition)),
                    .any([.stream("t", when: StreamProgram(".y", .condition)), .pathExists("/run/go")]),
                    .not(.pathExists("/run/stop")),
                ]))
        #expect(stream.condition?.streams == ["t"])
        #expect(stream.condition?.reactors == ["r"])
        #expect(try self.stream("[stream.s]\nsubject = true\nenabled = true").condition == nil)
    }
}
