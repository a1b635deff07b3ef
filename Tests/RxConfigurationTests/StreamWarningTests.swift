import RxStreams
import RxTime
import Testing
import TestSupport

@testable import RxConfiguration

@Suite(.countedApart)
struct StreamWarningTests {
    private let configurations = StreamConfigurations()

    @Test("a stream that nothing uses and that executes nothing is a warning")
    func unused() {
        let text = """
            [action.a]
            run = ["a"]
            on = ["bound"]
            [stream.bound]
            stream = "read"
            enabled = { stream = "asked", when = "." }
            [stream.read]
            subject = true
            [stream.asked]
            subject = true
            [stream.executes]
            subject = true
            through = [{ flatMapFirst = { each = ".", through = [{ concatMap = "a" }] } }]
            [stream.unused]
            subject = true
            """
        #expect(
            configurations.warnings(text) == [
                "rxd.toml:14: warning: stream.unused: nothing uses the stream, and it executes nothing"
            ])
    }

    @Test("a time that is past is a warning", arguments: ["at = 2026-05-31T23:59:00Z", "calendar = \"2025-1-1 0:00\""])
    func past(_ source: String) {
        let key = source.prefix { $0 != " " }
        #expect(
            configurations.warnings("[action.a]\nrun = [\"a\"]\non = { \(source) }") == [
                "rxd.toml:3: warning: action.a.on.\(key): is in the past; the stream fires only if "
                    + "`missed` makes up for it"
            ])
    }

    @Test("a time that is to come is none", arguments: ["at = 2026-06-01T00:01:00Z", "calendar = \"2027-1-1 0:00\""])
    func toCome(_ source: String) {
        #expect(configurations.warnings("[action.a]\nrun = [\"a\"]\non = { \(source) }").isEmpty)
    }

    @Test("a zone whose file cannot be read is a warning: the configuration may have been valid yesterday")
    func unreadableZone() {
        var configurations = configurations
        configurations.zones = ZoneFiles { name throws(ZoneFault) in throw .unreadable(name, errno: 5) }
        let message = "the time zone \"Europe/Berlin\" cannot be read: Input/output error"
        #expect(
            configurations.warnings(
                "[action.a]\nrun = [\"a\"]\non = { cron = \"@daily\", zone = \"Europe/Berlin\" }"
            ) == ["rxd.toml:3: warning: action.a.on.zone: \(message)"])
        #expect(
            configurations.warnings("[action.a]\nrun = [\"a\"]\non = { calendar = \"08:00 Europe/Berlin\" }") == [
                "rxd.toml:3: warning: action.a.on.calendar: \(message)"
            ])
    }

    @Test("a grant is a warning")
    func grants() {
        #expect(
            configurations.warnings(
                "[action.a]\nrun = [\"a\"]\non = { path = \"/srv\", allow = \"all\" }"
            ) == [
                "rxd.toml:3: warning: action.a.on.allow: grants access to the stream beyond that of the actions, "
                    + "reactors, and streams that it is made of"
            ])
    }

    /// An action that is started by the reactor that its stream changes.
    private func loop(_ through: String) -> String {
        """
        [action.a]
        run = ["a"]
        [reactor.r]
        initial = 0
        reduce = "."
        mutate = [{ execute = "a" }]
        on = "s"
        [stream.s]
        action = "a"
        \(through)
        """
    }

    @Test("a loop through actions and reactors is a warning")
    func feedback() {
        #expect(
            configurations.warnings(loop("through = [{ map = \".\" }]")) == [
                "rxd.toml:8: warning: stream.s: is a loop without a time operator and without a filter: "
                    + "reactor \"r\" -> action \"a\" -> stream \"s\""
            ])
        #expect(
            configurations.warnings("[action.a]\nrun = [\"a\"]\non = { action = \"*\", channel = \"errors\" }") == [
                "rxd.toml:3: warning: action.a.on: is a loop without a time operator and without a filter: "
                    + "action \"a\" -> stream \"a@1\""
            ])
        #expect(
            configurations.warnings(
                "[action.a]\nrun = [\"a\"]\n[stream.s]\naction = \"a\"\nthrough = [{ concatMap = \"a\" }]") == [
                    "rxd.toml:3: warning: stream.s: is a loop without a time operator and without a filter: "
                        + "action \"a\" -> stream \"s\""
                ])
    }

    @Test(
        "a loop with a time operator or a filter is none, in groups neither",
        arguments: [
            "{ filter = \".x\" }", "{ delay = \"1s\" }", "{ groupBy = \".x\", through = [{ throttle = \"1s\" }] }",
        ])
    func braked(_ step: String) {
        #expect(configurations.warnings(loop("through = [\(step)]")).isEmpty)
    }

    @Test("a throttle that drops nothing is likely a mistake")
    func throttlesNothing() {
        func warnings(_ pause: String) -> [String] {
            configurations.warnings(
                "[action.a]\nrun = [\"a\"]\non = { every = \"1h\", through = [{ throttle = \"\(pause)\" }] }")
        }
        #expect(
            warnings("0s") == [
                "rxd.toml:3: warning: action.a.on.through[0].throttle: drops nothing with \"0s\"; remove the step, or "
                    + "write a duration"
            ])
        #expect(warnings("1ms").isEmpty)
    }

    @Test("what a source finds questionable about its arguments is a warning at the argument")
    func problems() {
        var configurations = configurations
        configurations.problems = { source in
            guard let path = source.text("path") else { return [] }
            return [SourceProblem(at: "path", message: "\(path) is far away", isFault: false)]
        }
        #expect(
            configurations.warnings("[action.a]\nrun = [\"a\"]\non = { path = \"/nfs\" }") == [
                "rxd.toml:3: warning: action.a.on.path: /nfs is far away"
            ])
    }
}
