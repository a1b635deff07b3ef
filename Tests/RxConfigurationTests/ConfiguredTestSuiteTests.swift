import Glibc
import Jq
import Rx
import RxJSON
import RxPlatform
import RxStreamTest
import TestSupport
import Testing

@testable import RxConfiguration

/// The rules of section 5 of the contract, from TOML to the report.
@Suite(.countedApart)
struct ConfiguredTestSuiteTests {
    private let configurations = StreamConfigurations()

    /// The reports of the tests of a configuration.
    private func reports(_ configuration: String, _ tests: String) throws -> [TestReport] {
        let configuration = try configurations.load(configuration)
        configurations.directory.write("tests/t.toml", tests)
        let suite = ConfiguredTestSuite(configuration, evaluator: LocalEvaluator())
        return try configuration.tests(directory: configurations.directory.path).map { TestReport($0, suite.run($0)) }
    }

    /// What the reports print, without the directory.
    private func text(_ configuration: String, _ tests: String) throws -> [String] {
        try reports(configuration, tests).flatMap(\.text).map {
            $0.replacing(configurations.directory.path + "/", with: "")
        }
    }

    /// The faults of `--check`, without the directory.
    private func faults(_ configuration: String, _ tests: String) throws -> [String] {
        try reports(configuration, tests).compactMap(\.fault).map {
            $0.description.replacing(configurations.directory.path + "/", with: "")
        }
    }

    /// The configuration of the contract's first section.
    private static let contract = """
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
        input   = '{text: "\\(.action): \\(.error.message)"}'
        """

    private static let contractTests = """
        [test.one-build-for-many-saves]
        stream = "saves"
        given  = { source = "a 100ms b 1s c" }
        values = { a = { path = "x.md" }, b = { path = "y.md" }, c = { path = "z.md" } }
        expect = "400ms b 1s c"

        [test.night-of-the-clock-change]
        action = "backup"
        from   = "2026-03-28T12:00"
        to     = "2026-03-30T12:00"
        zone   = "Europe/Berlin"
        mock   = { backup = [{ elements = ["ok"], takes = "2m" }, { error = { exit = 3 } }] }
        expect = "14h a 24h b"
        values = { a = { input = { day = "2026-03-29" } }, b = { input = { day = "2026-03-30" } } }
        """

    @Test("the two examples of the contract pass as they are typed there")
    func contract() throws {
        #expect(
            try text(Self.contract, Self.contractTests) == [
                "passed  night-of-the-clock-change", "passed  one-build-for-many-saves",
            ])
    }

    @Test("a broken expectation fails with both texts, one above the other, and the first difference")
    func broken() throws {
        let tests = Self.contractTests.replacing("400ms b 1s c", with: "400ms b 900ms c")
        #expect(
            try text(Self.contract, tests) == [
                "passed  night-of-the-clock-change",
                "FAILED  one-build-for-many-saves",
                "  at tests/t.toml:5",
                "  expected  400ms b 900ms c",
                "  actual    400ms b 1s c",
                "                    ^",
                #"  expected c = {"path":"z.md"} at 1s300ms (2000-01-01T00:00:01.300Z), got"#,
                #"  {"path":"z.md"} at 1s400ms (2000-01-01T00:00:01.400Z)"#,
            ])
        let report = try #require(try reports(Self.contract, tests).last)
        #expect(report.isFault)
        #expect(report.json.value()["outcome"] == "failed")
        #expect(report.json.value()["line"] == 5)
        #expect(report.json.value()["expected"] == "400ms b 900ms c")
        #expect(report.json.value()["actual"] == "400ms b 1s c")
        #expect(
            try faults(Self.contract, tests).first?.hasPrefix(
                "tests/t.toml:5: test.one-build-for-many-saves.expect: the test has failed\n"
                    + "  expected  400ms b 900ms c\n"
            ) == true)
    }

    @Test("an action without a mock is a fault of the test, whether an `on`, a step, or a rule executes it")
    func withoutMock() throws {
        let configuration = """
            [action.a]
            run = ["a"]
            on = "clicks"
            [stream.clicks]
            subject = true
            [stream.results]
            stream = "clicks"
            through = [{ concatMap = "a" }]
            [reactor.r]
            initial = 0
            mutate = [{ execute = "a", element = ".element" }]
            reduce = ".mutation"
            on = "clicks"
            """
        let tests = ["action = \"a\"", "stream = \"results\"", "reactor = \"r\""].enumerated().map {
            "[test.t\($0)]\n\($1)\ngiven = { clicks = \"a\" }\nexpect = \"a\"\n"
        }.joined()
        #expect(
            try faults(configuration, tests) == [
                "tests/t.toml:1: test.t0.mock: the test executes the action \"a\", which has no mock",
                "tests/t.toml:5: test.t1.mock: the test executes the action \"a\", which has no mock",
                "tests/t.toml:9: test.t2.mock: the test executes the action \"a\", which has no mock",
            ])
    }

    @Test("the words of marbles that are malformed are faults at their line and key")
    func malformed() throws {
        configurations.directory.write(
            "tests/t.toml",
            """
            [test.t]
            stream = "saves"
            given = { source = "a - b" }
            expect = "5a"
            """)
        let configuration = try configurations.load(Self.contract)
        let errors = #expect(throws: ConfigurationErrors.self) {
            _ = try configuration.tests(directory: configurations.directory.path)
        }
        #expect(
            errors?.faults.map { $0.description.replacing(configurations.directory.path + "/", with: "") } == [
                "tests/t.toml:3: test.t.given.source: \"a - b\", character 3: \"-\" is not an event; write a duration, "
                    + "such as 10ms",
                "tests/t.toml:4: test.t.expect: \"5a\", character 1: expected a duration such as 100ms or 1h30m",
            ])
    }

    @Test("events of one word happen at one moment; an error and the end are events; a letter alone is itself")
    func words() throws {
        let configuration = """
            [stream.a]
            subject = true
            through = [{ map = 'if . == "x" then error("no") else . end' }, { take = 3 }]
            """
        let tests = """
            [test.all]
            stream = "a"
            given = { source = "ab 1s x 1s c" }
            expect = "ab 1s # 1s c|"
            """
        #expect(try text(configuration, tests) == ["passed  all"])
    }

    @Test("a test runs what the stream reads, but not what subscribes to it")
    func scope() throws {
        let configuration = """
            [stream.clicks]
            subject = true
            [stream.doubles]
            stream = "clicks"
            through = [{ map = '. + .' }]
            [action.a]
            run = ["a"]
            on = "doubles"
            """
        let tests = """
            [test.t]
            stream = "doubles"
            given = { clicks = "a" }
            values = { b = "aa" }
            expect = "b"
            """
        #expect(try text(configuration, tests) == ["passed  t"])
    }

    @Test("firings are compared by the members that are named, with the overlap and the schema of the action")
    func firings() throws {
        let configuration = """
            [action.a]
            run = ["a"]
            input = { type = "integer" }
            on = { name = "clicks", subject = true }
            """
        let tests = """
            [test.t]
            action = "a"
            given = { clicks = "a b 1m c 1m d" }
            values = { a = 1, b = 2, c = "x", d = 4, s = { outcome = "started", input = 1 }, \
            r = { refused = "notEnabled" }, f = { outcome = "failed" }, t = { input = 4 } }
            mock = { a = [{ takes = "30s" }] }
            expect = "s 1m f 1m t"
            """
        let failed = try text(configuration, tests)
        #expect(failed.contains("  expected  s 1m f 1m t"))
        #expect(failed.contains("  actual    sr 1m f 1m t"))
        #expect(try text(configuration, tests.replacing("\"s 1m f 1m t\"", with: "\"sr 1m f 1m t\"")) == ["passed  t"])
    }

    @Test("a source that goes on for ever requires `to`; `from` is 2000-01-01T00:00Z unless given")
    func times() throws {
        let configuration = "[stream.ticks]\nevery = \"12h\"\nthrough = [{ map = '.scheduled' }]"
        let test = """
            [test.t]
            stream = "ticks"
            zone = "UTC"
            values = { a = "2000-01-01T12:00:00.000Z" }
            expect = "12h a"
            """
        #expect(
            try faults(configuration, test) == [
                "tests/t.toml:1: test.t: the source \"every\" goes on for ever: the test needs `to`"
            ])
        #expect(try text(configuration, test + "\nto = \"2000-01-01T23:00\"") == ["passed  t"])
        #expect(
            try faults(configuration, test + "\nto = \"1999-01-01T23:00\"") == [
                "tests/t.toml:6: test.t.to: the test ends before it begins"
            ])
    }

    @Test("the states of a reactor follow from its rules, merges, and the mocked executions, with the time of the test")
    func reactors() throws {
        let configuration = """
            [reactor.light]
            initial = { on = false, log = [] }
            action = { enum = ["on", "off", "run", "no"] }
            mutate = [
              { when = '.action == "on" or .action == "off"', mutation = '{on: (.action == "on")}' },
              { when = '.action == "run"', execute = "steps", input = '{n: 1}', element = '{log: .element}', \
            failure = '{log: .error.exit}' },
              { when = '.action == "no"', mutation = 'error("never")' },
            ]
            merge = [{ action = "deploy", mutation = '{log: .element}' }]
            reduce = '''.mutation as $m | .state | if $m | has("on") then .on = $m.on else . end
              | if $m.log then .log += [$m.log, (now | todate)] else . end'''
            on = "clicks"
            [stream.clicks]
            subject = true
            [action.steps]
            run = ["steps"]
            [action.deploy]
            run = ["deploy"]
            [stream.level]
            reactor = "light"
            pointer = "/on"
            """
        let tests = """
            [test.rules]
            reactor = "light"
            given = { clicks = "a 1s b 1s n 1s r 1m r" }
            mock = { steps = [{ elements = ["one"], takes = "2s" }, { error = { exit = 3 } }] }
            expect = "c 1s d 4s e 58s f"
            [test.rules.values]
            a = "on"
            b = "off"
            n = "no"
            r = "run"
            c = { on = true, log = [] }
            d = { on = false, log = [] }
            e = { on = false, log = ["one", "2000-01-01T00:00:05Z"] }
            f = { on = false, log = ["one", "2000-01-01T00:00:05Z", 3, "2000-01-01T00:01:03Z"] }
            [test.merge]
            reactor = "light"
            given = { clicks = "", "action:deploy" = "a" }
            mock = { steps = [{}] }
            expect = "b"
            values = { b = { on = false, log = ["a", "2000-01-01T00:00:00Z"] } }
            [test.level]
            stream = "level"
            given = { clicks = "1s a 1s a 1s b" }
            values = { a = "on", b = "off", t = true, f = false }
            mock = { steps = [{}] }
            expect = "f 1s t 2s f"
            """
        #expect(try text(configuration, tests) == ["passed  level", "passed  merge", "passed  rules"])
    }

    @Test("feedback without end is a fault of the test", arguments: ["reactor", "action"])
    func feedback(_ kind: String) throws {
        let configuration = """
            [reactor.count]
            initial = 0
            mutate = [{ mutation = ".action" }]
            reduce = ".mutation"
            on = { reactor = "count", input = ". + 1" }
            [action.again]
            run = ["again"]
            on = [{ name = "clicks", subject = true }, { name = "own", action = "again" }]
            """
        let target = kind == "reactor" ? "reactor = \"count\"" : "action = \"again\"\ngiven = { clicks = \"a\" }"
        let tests = "[test.t]\n\(target)\nmock = { again = [{ elements = [1] }] }\nexpect = \"a\""
        #expect(try faults(configuration, tests).map { $0.contains("the test does not end") } == [true])
    }

    @Test("what an action is read for runs by its own `on`, with its mock")
    func readActions() throws {
        let configuration = """
            [action.deploy]
            run = ["deploy"]
            on = { name = "pushes", subject = true }
            [stream.caught]
            stream = "pushes"
            through = [{ concatMap = "deploy" }, { catch = '.error' }]
            [stream.failures]
            action = "*"
            channel = "errors"
            through = [{ map = '.error | [.name, .message, .exit]' }]
            """
        let tests = """
            [test.executed]
            stream = "failures"
            given = { pushes = "a 1m b" }
            mock = { deploy = [{ error = { exit = 7 }, takes = "1s" }, { elements = ["ok"] }] }
            values = { x = ["workFailed", "the process exited with 7", 7] }
            expect = "1s x"
            [test.caught]
            stream = "caught"
            given = { pushes = "a 1m b" }
            mock = { deploy = [{ error = { exit = 7 } }, { error = { name = "timedOut" } }] }
            expect = "x 1m y"
            [test.caught.values]
            x = { name = "workFailed", message = "the process exited with 7", exit = 7 }
            y = { name = "timedOut", message = "the work failed" }
            [test.given]
            stream = "failures"
            given = { "action:deploy" = "e" }
            values = { e = { error = { name = "timedOut", message = "late", exit = 8 } }, x = ["timedOut", "late", 8] }
            expect = "x"
            """
        #expect(try text(configuration, tests) == ["passed  caught", "passed  executed", "passed  given"])
    }

    @Test("a year of cron takes less than a second")
    func year() throws {
        let configuration = """
            [stream.ticks]
            cron    = "0 * * * *"
            zone    = "Europe/Berlin"
            through = [{ skip = 8759 }, { map = '"x"' }]
            """
        let tests = """
            [test.year]
            stream = "ticks"
            from = "2026-01-01T00:00Z"
            to = "2027-01-01T00:00Z"
            expect = "8760h x"
            """
        // The time of this thread alone: other load on the machine does not count.
        func processorTime() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
        }
        let start = processorTime()
        let results = try text(configuration, tests)
        #expect(results == ["passed  year"])
        #expect(processorTime() - start < 1000)
    }

    @Test("a check ends after its time; the first test that was not reached is a warning with how many follow")
    func time() throws {
        let configuration = try configurations.load("[stream.ticks]\nevery = \"1h\"")
        let tests = (1...3).map {
            "[test.t\($0)]\nstream = \"ticks\"\nto = \"2000-01-02T00:00\"\nzone = \"UTC\"\nexpect = \"1h a\"\n"
        }.joined()
        configurations.directory.write("tests/t.toml", tests)
        let read = try configuration.tests(directory: configurations.directory.path)
        let suite = ConfiguredTestSuite(configuration, evaluator: LocalEvaluator())
        // A clock that goes on by a second with each reading.
        let seconds = Locked(0)
        let clock = MonotonicClock {
            seconds.withLock { seconds in
                seconds += 1
                return .seconds(seconds)
            }
        }
        let all = TestCheck(read, in: suite, clock: .system)
        #expect(all.faults.count == 3)
        #expect(all.warnings.isEmpty)
        let some = TestCheck(read, in: suite, clock: clock, time: .seconds(40))
        #expect(some.faults.map(\.line) == [5])
        #expect(
            some.warnings.map { $0.description.replacing(configurations.directory.path + "/", with: "") } == [
                "tests/t.toml:6: warning: test.t2: was not run to its end within 40s, and 1 more was not reached; "
                    + "use `rxctl test`"
            ])
    }

    @Test("files below DIR/tests are no part of the daemon's configuration")
    func apart() throws {
        configurations.directory.write("tests/broken.toml", "this is not TOML")
        configurations.directory.write("tests/more.toml", "[stream.other]\nsubject = true")
        #expect(try configurations.load(Self.contract).streams.map(\.name) == ["backup@1", "failures", "saves"])
        #expect(configurations.warnings(Self.contract).isEmpty)
    }
}
