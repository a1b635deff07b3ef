import RxJSON
import TestSupport
import Testing

/// Every operator in a daemon: what it makes of what clients send. The marble tests of RxStreamsTests have its rules.
@Suite(.ownThreads(limit: .seconds(180)))
struct StreamOperatorTests {
    private struct Case {
        /// The operators that it is about, the first of which names its stream.
        var operators: [String]
        var through: String
        /// What is sent: to the stream itself, or, behind `o `, to the other source.
        var sends: [String] = []
        var emits: [String]

        var name: String { operators[0] }
        var other: String { "\(name)-other" }

        init(_ operators: String..., through: String, sends: [String] = [], emits: [String]) {
            self.operators = operators
            self.through = through
            self.sends = sends
            self.emits = emits
        }

        var configuration: String {
            """
            [stream."\(other)"]
            subject = true
            [stream."\(name)"]
            subject = true
            through = [\(through.replacing("OTHER", with: "\"\(other)\""))]

            """
        }
    }

    private static let cases = [
        Case("map", through: "{ map = '. + 1' }", sends: ["1"], emits: ["2"]),
        Case("filter", through: "{ filter = '. > 1' }", sends: ["1", "2"], emits: ["2"]),
        Case("compactMap", through: "{ compactMap = '.x' }", sends: [#"{"x":null}"#, #"{"x":3}"#], emits: ["3"]),
        Case(
            "distinctUntilChanged", through: "{ distinctUntilChanged = true }", sends: ["1", "1", "2"],
            emits: ["1", "2"]),
        Case(
            "scan", through: "{ scan = '.state + .element', initial = 0 }", sends: ["1", "2"], emits: ["1", "3"]),
        Case("pairwise", through: "{ pairwise = true }", sends: ["1", "2"], emits: ["[1,2]"]),
        Case("startWith", through: "{ startWith = 0 }", sends: ["1"], emits: ["0", "1"]),
        Case("enumerated", through: "{ enumerated = true }", sends: ["5"], emits: [#"{"index":0,"element":5}"#]),
        Case(
            "timestamp",
            through: #"{ timestamp = true }, { map = '[.element, (.time | sub("[.].*"; "Z") | fromdate > 1.7e9)]' }"#,
            sends: ["7"], emits: ["[7,true]"]),
        Case("take", through: "{ take = 1 }", sends: ["1"], emits: ["1"]),
        Case("skip", through: "{ skip = 1 }", sends: ["1", "2"], emits: ["2"]),
        Case("takeWhile", through: "{ takeWhile = '. < 2' }", sends: ["1", "2"], emits: ["1"]),
        Case("skipWhile", through: "{ skipWhile = '. < 2' }", sends: ["1", "2", "1"], emits: ["2", "1"]),
        Case("takeUntil", through: "{ takeUntil = OTHER }", sends: ["1", "o 0"], emits: ["1"]),
        Case("skipUntil", through: "{ skipUntil = OTHER }", sends: ["1", "o 0", "2"], emits: ["2"]),
        Case("elementAt", through: "{ elementAt = 1 }", sends: ["1", "2"], emits: ["2"]),
        Case("debounce", through: "{ debounce = '20ms' }", sends: ["1"], emits: ["1"]),
        Case("throttle", through: "{ throttle = '1h', latest = false }", sends: ["1", "2"], emits: ["1"]),
        Case("sample", through: "{ sample = OTHER }", sends: ["1", "2", "o 0"], emits: ["2"]),
        Case("delay", through: "{ delay = '20ms' }", sends: ["1"], emits: ["1"]),
        Case("timeout", through: "{ timeout = '20ms' }", emits: [#"{"silent":0.02,"last":null}"#]),
        Case("buffer", through: "{ buffer = true, count = 2 }", sends: ["1", "2"], emits: ["[1,2]"]),
        Case(
            "window", through: "{ window = true, count = 2, reduce = '.state + .element', initial = 0 }",
            sends: ["1", "2"], emits: ["3"]),
        Case("recent", through: "{ recent = '1h', at-least = 2 }", sends: ["1", "2"], emits: ["[1,2]"]),
        Case(
            "groupBy", through: "{ groupBy = '.k', through = [{ map = '[$key, .n]' }] }", sends: [#"{"k":"a","n":1}"#],
            emits: [#"["a",1]"#]),
        Case(
            "withLatestFrom", through: "{ withLatestFrom = OTHER }", sends: ["o 1", "2"],
            emits: [#"{"element":2,"latest":1}"#]),
        Case("merge", through: "{ merge = [OTHER] }", sends: ["1", "o 2"], emits: ["1", "2"]),
        Case("concat", through: "{ take = 1 }, { concat = OTHER }", sends: ["1", "o 2"], emits: ["1", "2"]),
        Case("concatMap", through: "{ concatMap = 'echo' }", sends: ["1", "2"], emits: ["1", "2"]),
        Case("flatMap", through: "{ flatMap = 'echo' }", sends: ["1"], emits: ["1"]),
        Case("flatMapLatest", through: "{ flatMapLatest = 'echo' }", sends: ["1"], emits: ["1"]),
        Case("flatMapFirst", through: "{ flatMapFirst = 'echo' }", sends: ["1"], emits: ["1"]),
        Case(
            "retry", "catch",
            through: "{ concatMap = 'fail' }, { retry = 2, delay = '1ms' }, { catch = '[.element, .error.name]' }",
            sends: ["1"], emits: [#"[1,"workFailed"]"#]),
    ]

    private func stream(_ name: String, _ sandbox: Sandbox) async throws -> JSONValue {
        try #require(try await sandbox.rxctl("why", name, "--json").values().first)
    }

    @Test("there is a case for every operator, apart from `held`, which needs a level")
    func complete() async throws {
        try await withSandbox { sandbox in
            let described = try await sandbox.rxctl("describe", "--operators", "--json").values()
            let operators = described.compactMap { $0["operator"]?.string }
            #expect(operators.count > 30)
            #expect(Set(operators).subtracting(Self.cases.flatMap(\.operators)) == ["held"])
        }
    }

    @Test("every operator makes of what is sent what the documentation states")
    func operators() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                Sandbox.actions + Self.cases.map(\.configuration).joined(), file: "rxd.toml")
            let daemon = try await sandbox.startDaemon()
            for test in Self.cases {
                for (count, send) in test.sends.enumerated() {
                    let isOther = send.hasPrefix("o ")
                    let value = isOther ? String(send.dropFirst(2)) : send
                    #expect(try await sandbox.rxctl("send", isOther ? test.other : test.name, value).status == 0)
                    // Two sources have no order between them, except that of what was taken.
                    try await eventually("\(test.name) takes \(send)") {
                        try await stream(test.name, sandbox)["taken"]?.int ?? 0 > count
                    }
                }
                let words = ["subscribe", test.name, "--channel", "elements", "--values", "--from", "start"]
                let result = try await sandbox.rxctl(words + ["--count", "\(test.emits.count)"])
                #expect(result.lines == test.emits, "\(test.name)")
                // A silence follows the other.
                guard test.name != "timeout" else { continue }
                let emitted = try await stream(test.name, sandbox)["emitted"]?.int
                #expect(emitted == test.emits.count, "\(test.name)")
            }
            #expect(try await sandbox.rxctl("history", "fail", "--json").values().count == 2, "two attempts")
            for name in ["take", "takeWhile", "takeUntil", "elementAt"] {
                #expect(try await stream(name, sandbox)["state"] == "ended", "\(name)")
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("held emits the value of a level once its condition has held for that long")
    func held() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [reactor.light]
                initial = false
                reduce  = '.mutation'
                [stream.on]
                reactor = "light"
                through = [{ held = "20ms" }]

                """)
            let daemon = try await sandbox.startDaemon()
            let reader = try await sandbox.startRxctl(
                "subscribe", "on", "--channel", "elements", "--values", "--from", "start", "--count", "1")
            #expect(try await sandbox.rxctl("dispatch", "light", "true").status == 0)
            #expect(try await reader.result().lines == ["true"])
            try await sandbox.stopCleanly(daemon)
        }
    }
}
