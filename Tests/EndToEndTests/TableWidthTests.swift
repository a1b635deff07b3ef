import Glibc
import RxJSON
import RxTerminal
import TestSupport
import Testing

/// What people see on a terminal of 80 or 40 columns, and what programs get instead.
@Suite(.ownThreads(limit: .seconds(180)))
struct TableWidthTests {
    /// Names, inputs, and errors that are longer or wider than most.
    private static let configuration = #"""
        [action.translate-the-documentation-of-the-other-team]
        description = "翻訳します：とても長い説明がここにあります、端末の幅よりも長いです"
        run = ["/bin/sh", "-c", "echo 翻訳に失敗しました、もう一度やり直してください、お願いします >&2; exit 3"]
        on = { calendar = "*-*-* 03:00" }

        [action.many]
        builtin = "echo"
        overlap = "queue"
        parallel = 8
        limit = 2000

        [action.long]
        run = ["/bin/sh", "-c", "sleep 300 & wait"]
        overlap = "concurrent"
        limit = 4
        grace = "1s"

        [stream.visitors-of-the-site-who-stay-longer-than-a-minute]
        subject = true

        [reactor.light-in-the-corridor-on-the-second-floor]
        initial = { on = false }
        mutate = [{ mutation = "{on: (.action == \"on\")}" }]
        reduce = ".state + .mutation"
        persist = true
        """#

    private static let long = "translate-the-documentation-of-the-other-team"
    private static let reactor = "light-in-the-corridor-on-the-second-floor"
    private static let stream = "visitors-of-the-site-who-stay-longer-than-a-minute"
    private static let inputs = [#"{"text":"漢字の入力、とても長い、端末の幅よりも長い"}"#, #""👩‍👩‍👧 👍🏽 e\#u{301}""#, "[1,2,3]", "null"]

    private static let views = [
        "list", "list --streams", "list --reactors", "status", "status --users", "history", "history \(long)",
        "history --limit 3", "history \(reactor)", "describe \(stream)", "describe \(long)", "describe many",
        "subscribe many --from start --count 60", "subscribe \(long) --channel executions --from start --count 2",
        "subscribe \(reactor) --from start --snapshot --count 1",
    ]

    /// A daemon with more than a thousand records.
    private func withRecords(_ body: (Sandbox) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.configuration, file: "conf.d/tables.toml")
            let daemon = try await sandbox.startDaemon()
            let lines = (0..<1000).map { Self.inputs[$0 % Self.inputs.count] + "\n" }.joined()
            Files.write(lines, to: sandbox.directory + "/inputs")
            let all = try await sandbox.shell(
                #""$rxctl" execute many --each --parallel 32 < '\#(sandbox.directory)/inputs' > /dev/null"#)
            #expect(all.status == 0, "\(all.error)")
            #expect(try await sandbox.rxctl("execute", Self.long, #"{"to":"日本語"}"#).status == 1)
            #expect(try await sandbox.rxctl("dispatch", Self.reactor, "on").status == 0)
            for _ in 1...2 { #expect(try await sandbox.rxctl("execute", "long", "--detach").status == 0) }
            #expect(try await sandbox.rxctl("disable", Self.long, "--reason", "翻訳は明日").status == 0)
            try await body(sandbox)
            #expect(try await sandbox.rxctl("cancel", "long").status == 0)
            try await sandbox.stopCleanly(daemon)
        }
    }

    /// What appears on a terminal, in lines.
    private func screen(
        _ script: String, columns: Int, environment: String = "TERM=xterm", on sandbox: Sandbox
    ) async throws -> [String] {
        let terminal = try await Terminal(
            "stty cols \(columns) rows 50; unset NO_COLOR; export \(environment); \(script)", on: sandbox)
        // A terminal holds only so much for a reader who is late.
        var text = ""
        try await eventually("the command has ended") {
            text = terminal.text
            return !Sandbox.isAlive(terminal.program.pid)
        }
        text = try await terminal.finalText()
        #expect(try await terminal.program.result().status == 0, "\(script): \(text)")
        return text.split(separator: "\r\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private func withoutColors(_ text: String) -> String { text.replacing(#/\e\[[0-9;]*m/#, with: "") }

    @Test(
        "no line is wider than the terminal, with long names, wide texts, and a thousand records", arguments: [80, 40])
    func widths(columns: Int) async throws {
        try await withRecords { sandbox in
            for view in Self.views {
                let lines = try await screen("\"$rxctl\" \(view)", columns: columns, on: sandbox)
                #expect(!lines.isEmpty)
                // A remark on stderr is not of the table.
                for line in lines where !line.hasPrefix("rxctl: ") {
                    let text = withoutColors(line)
                    #expect(CellWidth.of(text) <= columns, "\(view): \(text)")
                    #expect(!text.contains("\u{1B}") && !text.contains("\u{FFFD}"), "\(view): \(text)")
                }
            }
            let history = try await screen("\"$rxctl\" history", columns: columns, on: sandbox)
            let records = try await sandbox.rxctl("history").lines.count
            #expect(records >= 1000 && history.count == records + 1)
            let page = try await screen("\"$rxctl\" history --limit 3", columns: columns, on: sandbox).map(
                withoutColors)
            let ids = try await sandbox.rxctl("history", "--limit", "3").values().map { $0["execution"]?.string ?? "" }
            #expect(zip(page.dropFirst(), ids).allSatisfy { $0.contains(" \($1.suffix(8)) ") }, "\(page)")
            #expect(try await sandbox.rxctl("why", String(ids[0].suffix(8))).status == 0)
        }
    }

    @Test("colors are on a terminal only, unless NO_COLOR is set or the terminal is dumb; the shapes stay")
    func colors() async throws {
        try await withRecords { sandbox in
            for view in ["list", "history", "status", "subscribe \(Self.long) --from start --count 1"] {
                func text(_ environment: String) async throws -> String {
                    try await screen("\"$rxctl\" \(view)", columns: 80, environment: environment, on: sandbox)
                        .joined(separator: "\n")
                }
                let colored = try await text("TERM=xterm")
                #expect(colored.contains("\u{1B}["), "\(view)")
                for environment in ["TERM=xterm NO_COLOR=1", "TERM=dumb"] {
                    let plain = try await text(environment)
                    #expect(!plain.contains("\u{1B}") && plain.contains { "○●✓✕".contains($0) }, "\(plain)")
                }
                #expect(try await text("TERM=xterm NO_COLOR=").contains("\u{1B}["))
            }
        }
    }

    @Test("--format table prints a table into a pipe, as wide as COLUMNS or 80; --format json is --json")
    func formats() async throws {
        try await withRecords { sandbox in
            for view in Self.views {
                let words = view.split(separator: " ").map(String.init)
                for (columns, width) in [(nil, 80), ("50", 50), ("none", 80)] as [(String?, Int)] {
                    let assignment = columns.map { "COLUMNS=\($0)" } ?? "-u COLUMNS"
                    let table = try await sandbox.shell("env \(assignment) \"$rxctl\" \(view) --format table")
                    #expect(table.status == 0 && !table.output.isEmpty && !table.output.contains("\u{1B}"), "\(view)")
                    for line in table.lines { #expect(CellWidth.of(line) <= width, "\(view): \(line)") }
                }
                // What changes from one moment to the next is not compared.
                let isSteady = words[0] != "status"
                let json = try await sandbox.rxctl(words + ["--json"]).output
                #expect(json.hasPrefix("{"), "\(view)")
                if isSteady {
                    #expect(try await sandbox.rxctl(words).output == json)
                    #expect(try await sandbox.rxctl(words + ["--format", "json"]).output == json)
                }
            }
            let history = try await sandbox.rxctl("history", "many", "--json").output
            let typed = try await screen("\"$rxctl\" history many --format json", columns: 40, on: sandbox)
            #expect(typed.joined(separator: "\n") + "\n" == history)
        }
    }

    @Test("a usage error of --format json is JSON, and --format table excludes what is not a table")
    func misuses() async throws {
        try await withDaemon { sandbox, _ in
            for arguments in [["list", "--format", "json", "--odd"], ["list", "--format=json", "x"]] {
                let result = try await sandbox.rxctl(arguments)
                #expect(result.status == 64 && result.error.hasPrefix("{"), "\(result.error)")
            }
            let missing = try await sandbox.rxctl("describe", "nobody", "--format", "json")
            #expect(missing.status == 5 && missing.error.hasPrefix("{"), "\(missing.error)")
            let both = try await sandbox.rxctl("list", "--json", "--format", "table")
            #expect(both.status == 64 && both.error.contains("remove one of them"), "\(both.error)")
            let values = try await sandbox.rxctl("subscribe", "echo", "--values", "--format", "table")
            #expect(values.status == 64 && values.error.contains("remove --values"), "\(values.error)")
            let state = try await sandbox.rxctl("history", "--state", "fialed")
            #expect(state.status == 64 && state.error.contains("did you mean failed?"), "\(state.error)")
        }
    }
}
