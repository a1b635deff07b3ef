import RxHost
import RxJSON
import RxStreamTest
import Testing
import TestSupport

@testable import RxConfiguration

@Suite(.countedApart)
struct TestReaderTests {
    private let configurations = StreamConfigurations()
    private let configuration = """
        [action.backup]
        run = ["backup"]
        on = { calendar = "*-*-* 03:00" }
        [stream.saves]
        path = "/srv"
        [reactor.light]
        initial = 0
        reduce = "."
        on = "saves"
        """

    private func tests(_ text: String) throws -> [ConfiguredTest] {
        let configuration = try configurations.load(configuration)
        configurations.directory.write("tests/a.toml", text)
        return try configuration.tests(directory: configurations.directory.path)
    }

    private func faults(_ text: String) -> [String] {
        do {
            _ = try tests(text)
            return []
        } catch {
            return (error as? ConfigurationErrors)?.faults.map {
                String($0.description.replacing(configurations.directory.path + "/", with: ""))
            } ?? ["\(error)"]
        }
    }

    @Test("the tests of the contract are read as they are typed there")
    func contract() throws {
        let tests = try tests(
            """
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
            """)
        #expect(tests.map(\.name) == ["night-of-the-clock-change", "one-build-for-many-saves"])
        #expect(tests.map(\.line.line) == [7, 1])
        #expect(tests.map(\.definition.target) == [.action("backup"), .stream("saves")])
        #expect(tests.map(\.definition.expect) == ["14h a 24h b", "400ms b 1s c"])
        #expect(tests[0].definition.from == "2026-03-28T12:00")
        #expect(tests[0].definition.to == "2026-03-30T12:00")
        #expect(tests[0].definition.zone == "Europe/Berlin")
        #expect(
            tests[0].definition.mock == [
                "backup": [
                    MockOutcome(.elements([RawJSON("ok")]), takes: 120_000_000),
                    MockOutcome(.error(RawJSON(["exit": 3]))),
                ]
            ])
        #expect(tests[1].definition.given == ["source": "a 100ms b 1s c"])
        #expect(tests[1].definition.values["b"] == RawJSON(["path": "y.md"]))
        #expect(tests[1].lines["given.source"]?.line == 3)
        #expect(tests[1].lines["values.a"]?.line == 4)
    }

    @Test("without the directory there are no tests")
    func none() throws {
        let configuration = try configurations.load(configuration)
        #expect(try configuration.tests(directory: configurations.directory.path).isEmpty)
    }

    @Test("a test that names what is not there, or is malformed, is a fault")
    func malformed() {
        let text = """
            [test.one]
            stream = "savs"
            given = { "action:bckup" = "a", saves = 7, "reactor:light" = "a", "signl:USR1" = "a" }
            values = { ab = 1, a = 2026-01-01 }
            expect = 7
            [test.two]
            action = "backup"
            reactor = "light"
            from = "noon"
            zone = "Mars/Phobos"
            mock = { backup = [], bckup = [{ takes = "x", elements = 7 }, { error = 1, refused = "notEnabled" }] }
            expects = "a"
            [action.x]
            run = ["x"]
            """
        #expect(
            faults(text) == [
                "tests/a.toml:2: test.one.stream: there is no stream \"savs\"; did you mean \"saves\"?",
                "tests/a.toml:3: test.one.given.\"action:bckup\": there is no action \"bckup\"; did you mean "
                    + "\"backup\"?",
                "tests/a.toml:3: test.one.given.\"signl:USR1\": there is no source \"signl\"; did you mean \"signal\"?",
                "tests/a.toml:3: test.one.given.saves: must be a string such as \"a 1s b\", not an integer",
                "tests/a.toml:4: test.one.values.a: is a date; JSON has no dates",
                "tests/a.toml:4: test.one.values.ab: is not one letter from a to z or A to Z",
                "tests/a.toml:5: test.one.expect: must be a string such as \"a 1s b\", not an integer",
                "tests/a.toml:6: test.two: needs \"expect\", such as \"a 1s b\"",
                "tests/a.toml:6: test.two: needs one of \"stream\", \"action\", and \"reactor\": what is tested",
                "tests/a.toml:9: test.two.from: \"noon\", character 1: expected the year in 4 digits",
                "tests/a.toml:10: test.two.zone: there is no time zone \"Mars/Phobos\" in the system's tzdata",
                "tests/a.toml:11: test.two.mock.backup: must be an array of 1 to 10000 outcomes such as [{ "
                    + "elements = [\"ok\"] }]",
                "tests/a.toml:11: test.two.mock.bckup: there is no action \"bckup\"; did you mean \"backup\"?",
                "tests/a.toml:11: test.two.mock.bckup[0].elements: must be an array, not an integer",
                "tests/a.toml:11: test.two.mock.bckup[0].takes: must be a duration such as \"500ms\", \"10s\" or "
                    + "\"1h30m\", not \"x\"",
                "tests/a.toml:11: test.two.mock.bckup[1]: must be only one of \"elements\", \"error\", and "
                    + "\"refused\"",
                "tests/a.toml:12: test.two.expects: unknown key; did you mean \"expect\"?",
                "tests/a.toml:13: action: does not belong to a test; write it into rxd.toml or a file of conf.d",
            ])
    }

    @Test("a name in two files is a fault at the second")
    func twice() {
        configurations.directory.write("tests/b.toml", "[test.one]\nstream = \"saves\"\nexpect = \"a\"")
        #expect(faults("[test.one]\nstream = \"saves\"\nexpect = \"a\"").map { $0.contains("defined twice") } == [true])
    }
}
