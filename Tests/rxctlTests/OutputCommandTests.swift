import RxJSON
import Synchronization
import TestSupport
import Testing

@testable import rxctl

@Suite("rxctl output", .ownThreads(limit: .seconds(120)))
struct OutputCommandTests {
    private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"
    private static let between = "01890a5d-ac96-7fff-bcce-b302099a8057"
    private static let later = "01890a5d-ac97-774b-bcce-b302099a8057"

    /// The result of `execution.output`, after which a client has `elements` and `stderr`.
    private static func output(
        _ parts: String, _ state: String = "completed", kept: Bool = true, elements: Int = 0, stderr: Int = 0
    ) -> String {
        #"{"execution":"\#(id)","action":"a","state":"\#(state)","kept":\#(kept),"output":[\#(parts)],"#
            + #""elements":\#(elements),"stderr":\#(stderr)}"#
    }

    /// Runs a script with a daemon that has these answers to `execution.output`, one after the other; the last one
    /// repeats.
    private func run(_ script: String, _ answers: String...) async throws -> (ScriptResult, [FakeDaemon.Request]) {
        let count = Mutex(0)
        var result = ScriptResult(output: "", status: -1)
        var requests: [FakeDaemon.Request] = []
        try await withFakeDaemon(
            { request, peer in
                switch request.method {
                case "server.hello": peer.answer(request, "{}")
                case "execution.list":
                    // The newest one was canceled before it started.
                    switch request.params["before"]?.string {
                    case nil:
                        let record = #"{"execution":"\#(Self.later)","state":"cancelled"}"#
                        peer.answer(
                            request, #"{"executions":[\#(record)],"truncated":true,"before":"\#(Self.later)"}"#)
                    case Self.later:
                        peer.answer(request, #"{"executions":[],"truncated":true,"before":"\#(Self.between)"}"#)
                    case _:
                        let record = #"{"execution":"\#(Self.id)","startedAt":"2026-11-21T01:02:03Z"}"#
                        peer.answer(request, #"{"executions":[\#(record)],"truncated":false}"#)
                    }
                case "execution.output":
                    let index = count.withLock { count in
                        defer { count += 1 }
                        return count
                    }
                    let answer = answers[min(index, answers.count - 1)]
                    if answer == "timedOut" { return peer.refuse(request, -32004, "timedOut") }
                    peer.answer(request, answer)
                default: peer.refuse(request, -32601, "methodNotFound")
                }
            }
        ) { daemon in
            result = await bash(script, socket: daemon.path)
            requests = daemon.requests
        }
        return (result, requests.filter { $0.method != "server.hello" })
    }

    private static let both = output(
        #"{"stderr":"oh "},{"elements":["a",{"b": 1}]},{"stderr":"no\n"},{"stderrBase64":"/w=="},{"elements":["c"]}"#,
        elements: 3, stderr: 7)

    @Test("elements as they were yielded, or strings without quotes; stderr byte by byte; or both, each on its lines")
    func styles() async throws {
        for (options, expected) in [
            ("", "\"a\"\n{\"b\": 1}\n\"c\"\n"), ("--raw", "a\n{\"b\": 1}\nc\n"),
            ("--all", "oh \n\"a\"\n{\"b\": 1}\nno\nX\n\"c\"\n"), ("--stderr", "oh no\nX"),
        ] {
            let (result, requests) = try await run("rxctl output \(Self.id) \(options) | tr '\\377' X", Self.both)
            #expect(result.output == expected, "\(options)")
            #expect(requests.map(\.method) == ["execution.output"])
            #expect(requests.first?.params["elements"] == 0 && requests.first?.params["stderr"] == 0)
        }
        let (json, _) = try await run("rxctl output \(Self.id) --json", Self.both)
        #expect(json.lines.count == 1 && json.status == 0)
        #expect(try RawJSON(validating: json.output).value() == RawJSON(validating: Self.both).value())
    }

    @Test("a note on stderr states how much is missing of what is printed")
    func missing() async throws {
        let parts =
            #"{"missing":{"stream":"stderr","bytes":9}},{"elements":[1]},"#
            + #"{"missing":{"stream":"elements","elements":1,"bytes":4}},"#
            + #"{"missing":{"stream":"elements","elements":2}}"#
        let answer = Self.output(parts, elements: 4, stderr: 9)
        let (elements, _) = try await run("rxctl output \(Self.id) 2>&1", answer)
        #expect(
            elements.lines == [
                "1", "rxctl: 1 element (4 bytes) is missing here: it was not kept",
                "rxctl: 2 elements are missing here: they were not kept",
            ])
        let (errors, _) = try await run("rxctl output \(Self.id) --stderr 2>&1", answer)
        #expect(errors.lines == ["rxctl: 9 bytes of stderr are missing here: they were not kept"])
    }

    @Test(
        "after an execution that was interrupted, a note on stderr states that the end may be missing",
        arguments: ["", "--all", "--stderr", "--follow"])
    func interrupted(options: String) async throws {
        let answer = Self.output(#"{"elements":["line 1"]},{"stderr":"x\n"}"#, "interrupted", elements: 1, stderr: 2)
        let (noted, _) = try await run("rxctl output \(Self.id) \(options) 2>&1", answer)
        #expect(noted.lines.last == "rxctl: the execution was interrupted; what came last may be missing")
        #expect(noted.lines.count == (options == "--all" ? 3 : options == "--follow" ? 3 : 2))
        let (completed, _) = try await run(
            "rxctl output \(Self.id) \(options) 2>&1", Self.output(#"{"elements":["line 1"]}"#, elements: 1))
        #expect(!completed.output.contains("missing"))
        // The answer has the state.
        let (json, _) = try await run("rxctl output \(Self.id) --json 2>&1", answer)
        #expect(json.lines.count == 1)
    }

    @Test("for an action, its last execution that has started is found; without one, the command exits with 5")
    func action() async throws {
        let (result, requests) = try await run("rxctl output a", Self.both)
        #expect(result.status == 0)
        #expect(requests.dropLast().allSatisfy { $0.method == "execution.list" && $0.params["action"] == "a" })
        #expect(requests.dropLast().map { $0.params["before"]?.string } == [nil, Self.later, Self.between])
        #expect(requests.last?.method == "execution.output")
        #expect(requests.last?.params["execution"]?.string == Self.id)
        #expect(requests.first?.params["state"]?.array?.contains("queued") == false)
        #expect(requests.first?.params["state"]?.array?.contains("executing") == true)
        try await withFakeDaemon(
            { request, peer in
                peer.answer(request, request.method == "server.hello" ? "{}" : #"{"executions":[],"truncated":false}"#)
            }
        ) { daemon in
            let none = await bash("rxctl output a 2>&1", socket: daemon.path)
            #expect(none.lines == ["rxctl: no execution of a is kept"] && none.status == 5)
        }
    }

    @Test("exits with 5 if no output is kept")
    func notKept() async throws {
        let (result, _) = try await run("rxctl output \(Self.id) 2>&1", Self.output("", kept: false))
        #expect(result.lines == ["rxctl: no output of \(Self.id) is kept"] && result.status == 5)
    }

    @Test(
        "with --follow it goes on from where it is, also after a wait that ended, and exits as wait does",
        arguments: [("completed", 0), ("failed", 1), ("cancelled", 1), ("timedOut", 124), ("interrupted", 1)])
    func follow(state: String, status: Int) async throws {
        let (result, requests) = try await run(
            "rxctl output \(Self.id) --follow --all 2>/dev/null",
            Self.output(#"{"elements":[1]}"#, "executing", elements: 1), "timedOut",
            Self.output(#"{"elements":[2]},{"stderr":"x"}"#, "executing", elements: 2, stderr: 1),
            Self.output(#"{"stderr":"y"}"#, state, elements: 2, stderr: 2),
            Self.output(#"{"elements":[3]}"#, state, elements: 3, stderr: 2))
        #expect(result.output == "1\n2\nxy\n3\n")
        #expect(result.status == Int32(status))
        #expect(requests.map { $0.params["elements"] } == [0, 1, 1, 2, 2])
        #expect(requests.map { $0.params["stderr"] } == [0, 0, 0, 1, 2])
        #expect(requests.map { $0.params["wait"] != nil } == [false, true, true, true, false])
    }

    @Test("two kinds of output at once, and --raw without elements, are usage errors")
    func usage() async throws {
        for options in ["--stderr --all", "--stderr --raw"] {
            let (result, requests) = try await run("rxctl output \(Self.id) \(options) 2>/dev/null", Self.both)
            #expect(result.status == 64 && requests.isEmpty)
        }
    }
}
