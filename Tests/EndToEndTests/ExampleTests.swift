import Glibc
import RxJSON
import Synchronization
import TestSupport
import Testing

/// The examples of clients, with a real daemon.
@Suite(.ownThreads(limit: .seconds(120)))
struct ExampleTests {
    private static let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    private static let python = repository + "/docs/examples/rxd.py"
    private static let shell = repository + "/docs/examples/rxd.sh"

    private func lineCount(_ path: String) throws -> Int {
        try #require(Files.read(path)).split(separator: "\n", omittingEmptySubsequences: false).count - 1
    }

    // MARK: Swift

    /// The lines of the Swift block in docs/library.md that begins with `beginning`.
    private func documented(_ beginning: String) throws -> [Substring] {
        let document = try #require(Files.read(ExampleTests.repository + "/docs/library.md"))
        let begin = try #require(document.firstRange(of: "```swift\n" + beginning))
        let rest = document[begin.lowerBound...].dropFirst("```swift\n".count)
        let end = try #require(rest.firstRange(of: "```"))
        return rest[..<end.lowerBound].split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    /// The lines of one of these tests' files that the document shows: the imports and the marked part.
    private func shown(_ file: String) throws -> [Substring] {
        let source = try #require(Files.read(ExampleTests.repository + "/Tests/EndToEndTests/" + file))
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex(of: "    // Document: begin"))
        let end = try #require(lines.firstIndex(of: "    // Document: end"))
        return lines.filter { $0.hasPrefix("import ") } + [""] + lines[begin + 1..<end].map { $0.dropFirst(4) }
    }

    @Test("the documented example of RxClient is the tested code, in at most 15 lines")
    func sameText() throws {
        let document = try documented("import Rx\nimport RxClient\n")
        let source = try shown("ClientExample.swift").map {
            Substring($0.replacing("path: socket", with: #"path: "/run/rxd/rxd.sock""#))
        }
        #expect(document == source)
        #expect(document.count { !$0.isEmpty } <= 15)
    }

    @Test("the documented reader of failures is a part of the example, and the one in Python has at most 20 lines")
    func failures() throws {
        let example = try #require(
            Files.read(ExampleTests.repository + "/Examples/FailureReader/FailureReader.swift"))
        let lines = example.split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex(of: "            // Document: begin"))
        let end = try #require(lines.firstIndex(of: "            // Document: end"))
        #expect(try documented("let start = file.cursor") == lines[begin + 1..<end].map { $0.dropFirst(12) })
        #expect(try lineCount(ExampleTests.repository + "/docs/examples/failures.py") <= 20)
    }

    @Test("the documented example of RxReactor is the tested code")
    func sameReactor() throws {
        #expect(try documented("import Rx\nimport RxReactor\n") == shown("ReactorExample.swift"))
    }

    @Test("the example of RxReactor prints the documented output")
    func reactor() {
        let printed = Printed()
        reactorExample { printed.add("\($0)") }
        #expect(printed.lines == ["false", "true"])
    }

    @Test("the example of RxClient prints the documented output, through a restart of the daemon")
    func swift() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.countdown]
                run = ["seq", { input = "/from" }, "-1", "1"]

                [action.greet]
                run = ["printf", "Hello, %s!", { input = "/name" }]

                [action.echo]
                builtin = "echo"

                """)
            let daemon = try await sandbox.startDaemon()
            let printed = Printed()
            let example = Task { try await clientExample(socket: sandbox.socket) { printed.add("\($0)") } }
            defer { example.cancel() }
            try await eventually("it counts down and greets") {
                printed.lines.contains(#""Hello, World!""#)
            }
            #expect(printed.lines == [#""3""#, #""2""#, #""1""#, #""Hello, World!""#])
            // Its subscription may still be on its way: one of these is the first that it sees.
            try await eventually("it follows") {
                _ = try await sandbox.rxctl("execute", "echo", #""before""#)
                return printed.lines.contains(#"elements: "before""#)
            }
            try await sandbox.stopCleanly(daemon)
            let next = try await sandbox.startDaemon()
            // The elements of `echo` are not kept across a restart.
            try await eventually("it reports that some may be missing") {
                printed.lines.last?.hasPrefix(#"lag: {"dropped":null,"#) ?? false
            }
            _ = try await sandbox.rxctl("execute", "echo", #""after""#)
            try await eventually("it goes on") { printed.lines.last == #"elements: "after""# }
            example.cancel()
            try await example.value
            try await sandbox.stopCleanly(next)
        }
    }

    /// What the example has printed so far.
    private final class Printed: Sendable {
        private let all = Mutex<[String]>([])

        var lines: [String] { all.withLock { $0 } }

        func add(_ line: String) { all.withLock { $0.append(line) } }
    }

    // MARK: Python

    // Tests/python tests it as a library.
    @Test(
        "the Python client is a program as well, which executes, dispatches, and exits with a status for the end",
        .enabled(if: Programs.installed("python3") != nil, "python3 is not installed"))
    func python() async throws {
        #expect(try lineCount(ExampleTests.python) <= 360)
        try await withDaemon { sandbox, _ in
            let run = "RXD_SOCKET='\(sandbox.socket)' python3 '\(ExampleTests.python)'"
            let ticks = try await sandbox.shell(#"\#(run) execute ticks '{"count":3,"interval":"5ms"}'"#)
            #expect(ticks.output == "0\n1\n2\n", "\(ticks.error)")
            #expect(ticks.status == 0)
            let failed = try await sandbox.shell(#"\#(run) execute fail '{"message":"no such luck"}'"#)
            #expect(failed.output == "")
            #expect(failed.error == "rxd.py: no such luck (workFailed)\n")
            #expect(failed.status == 1)
            let unknown = try await sandbox.shell("\(run) execute nosuch")
            #expect(unknown.status == 1)
            #expect(unknown.error.contains("nosuch"))
            let described = try await sandbox.shell(#"\#(run) call action.describe '{"action":"echo"}'"#)
            #expect(described.output.contains(#""kind": "builtin""#))
            let used = try await sandbox.shell("\(run) nonsense")
            #expect(used.status == 1)
            #expect(used.error.hasPrefix("As a program: rxd.py execute ACTION"))
        }
    }

    @Test(
        "the Python client withdraws when it is killed or interrupted",
        .enabled(if: Programs.installed("python3") != nil, "python3 is not installed"), arguments: [SIGKILL, SIGINT])
    func pythonKilled(signal: Int32) async throws {
        try await withDaemon { sandbox, _ in
            let python = try #require(Programs.installed("python3"))
            let example = try await sandbox.start([python, ExampleTests.python, "execute", "sleeper"])
            try await eventually("it is executing") { !example.output.isEmpty }
            example.signal(signal)
            try await eventually("it is canceled") {
                try await sandbox.rxctl("history", "sleeper").output.contains(#""state":"cancelled""#)
            }
            #expect(try await example.result().status == (signal == SIGINT ? 130 : 128 + SIGKILL))
        }
    }

    // MARK: Shell

    private static let hasTools = Programs.installed("socat") != nil && Programs.installed("jq") != nil

    @Test(
        "the shell example executes and exits with a status for the end",
        .enabled(if: hasTools, "socat or jq is not installed"))
    func shellExecutes() async throws {
        #expect(try lineCount(ExampleTests.shell) <= 10)
        try await withDaemon { sandbox, _ in
            let run = "'\(ExampleTests.shell)' '\(sandbox.socket)' execute"
            let ticks = try await sandbox.shell(#"\#(run) ticks '{"count":3,"interval":"5ms"}'"#)
            #expect(ticks.output == "0\n1\n2\n")
            #expect(ticks.status == 0)
            let failed = try await sandbox.shell(#"\#(run) fail '{"message":"no such luck"}'"#)
            #expect(failed.output == "")
            #expect(failed.error.contains("no such luck"))
            #expect(failed.status == 1)
            let unknown = try await sandbox.shell("\(run) nosuch")
            #expect(unknown.status == 1)
            #expect(unknown.error.contains("nosuch"))
        }
    }

    @Test(
        "the shell example subscribes until the daemon stops", .enabled(if: hasTools, "socat or jq is not installed"))
    func shellSubscribes() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startDaemon()
            let example = try await sandbox.start([ExampleTests.shell, sandbox.socket, "subscribe", "echo"])
            try await eventually("it follows") {
                _ = try await sandbox.rxctl("execute", "echo", "[1,2]")
                return example.output.contains(#""value":[1,2]"#)
            }
            let records = try example.lines.map { try RawJSON(validating: $0).value() }
            #expect(records.contains { $0["channel"] == "elements" && $0["seq"] != nil })
            try await sandbox.stopCleanly(daemon)
            #expect(try await example.result().status != 0)
        }
    }
}
