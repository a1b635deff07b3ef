import Glibc
import RxJSON
import TestSupport
import Testing

/// The output of commands that follow actions on a terminal.
@Suite(.ownThreads(limit: .seconds(120)))
struct TerminalTests {
    /// `a` can be executed, and `b` takes as long as somebody likes.
    private static let actions = """
        [action.a]
        builtin = "echo"

        [action.b]
        run = ["/bin/sh", "-c", "until [ -e DIRECTORY/go ]; do sleep 0.01; done"]

        """

    @Test("an action's output cannot control the terminal by C1 or DEL characters, in elements or in errors")
    func controls() async throws {
        try await withDaemon { sandbox, daemon in
            sandbox.configure(
                #"""
                [action.hostile]
                run = [
                  "/bin/sh", "-c",
                  "printf '\\302\\2332Jout\\177\\n'; printf '\\302\\2332Jerr\\177\\n' >&2; exit 1",
                ]
                """#, file: "conf.d/hostile.toml")
            #expect(try await sandbox.rxctl("reload").status == 0)
            // U+009B begins a control sequence: this one clears the screen.
            for options in ["", "--json"] {
                let terminal = try await Terminal(#""$rxctl" execute hostile "# + options, on: sandbox)
                #expect(try await terminal.program.result().status == 1)
                let text = try await terminal.finalText()
                #expect(text.contains(#""\u009b2Jout\u007f""#), "\(text)")
                let error = options.isEmpty ? "stderr: \u{FFFD}2Jerr\u{FFFD}" : #"\u009b2Jerr\u007f"#
                #expect(text.contains(error), "\(text)")
                #expect(!text.unicodeScalars.contains { (0x7F..<0xA0).contains($0.value) })
            }
            let piped = try await sandbox.rxctl("execute", "hostile")
            #expect(piped.output == "\"\u{9B}2Jout\u{7F}\"\n")
        }
    }

    private static func level(_ record: JSONValue) -> String {
        let value = record["channel"] == "enabled" ? record["value"]?["enabled"] : record["value"]
        let fields = [record["action"]?.string, record["channel"]?.string, value?.bool.map(String.init)]
        return fields.map { $0 ?? "?" }.joined(separator: " ")
    }

    @Test(
        "two terminals follow the levels of two actions through jq while a third executes, and see nothing but JSON",
        .enabled(if: Programs.installed("jq") != nil, "jq is not installed"))
    func levels() async throws {
        try await withSandbox { sandbox in
            let directory = sandbox.directory
            sandbox.configure(
                TerminalTests.actions.replacing("DIRECTORY", with: directory), file: "conf.d/terminals.toml")
            let daemon = try await sandbox.startDaemon()
            // The shell survives Ctrl-C, to show which process it ended; tee keeps the input of jq.
            var readers: [Terminal] = []
            for number in 1...2 {
                readers.append(
                    try await Terminal(
                        """
                        trap : INT
                        "$rxctl" subscribe a b --channel executing,enabled 2>'\(directory)/errors\(number)' \
                            | tee '\(directory)/given\(number)' | jq .
                        echo "${PIPESTATUS[*]}" >'\(directory)/statuses\(number)'
                        """, on: sandbox))
            }
            try await eventually("both are subscribed") {
                try await sandbox.rxctl("status", "--json").output.contains(#""subscriptions":2"#)
            }
            let third = try await Terminal(#""$rxctl" execute a '{"x":1}' && "$rxctl" execute b"#, on: sandbox)
            func records(_ number: Int) throws -> [JSONValue] {
                try (Files.read("\(directory)/given\(number)") ?? "").split(separator: "\n").map {
                    try RawJSON(validating: String($0)).value()
                }
            }
            try await eventually("both see that b is executing, as it is") {
                try (1...2).allSatisfy { try records($0).count == 6 }
            }
            Files.write("", to: directory + "/go")
            #expect(try await third.program.result().status == 0, "\(third.text)")
            try await eventually("both see its end") { try (1...2).allSatisfy { try records($0).count == 8 } }

            for (number, reader) in zip(1...2, readers) {
                let given = try #require(Files.read("\(directory)/given\(number)"))
                #expect(given.hasSuffix("\n"))
                #expect(
                    try records(number).map(TerminalTests.level)
                        == ["a", "b"].flatMap { action in
                            [
                                "\(action) executing true", "\(action) enabled false", "\(action) executing false",
                                "\(action) enabled true",
                            ]
                        })
                // In colors, and each line goes back to the left margin.
                let printed = try await sandbox.shell("jq -C . '\(directory)/given\(number)'").output
                let expected = printed.replacing("\n", with: "\r\n")
                try await eventually("jq has printed all") { reader.text.count >= expected.count }
                #expect(reader.text == expected)
                reader.press("\u{3}")
                #expect(try await reader.program.result().status == 0)
                #expect(reader.text == expected + "^C")
                #expect(Files.read("\(directory)/errors\(number)") == "")
                // Whichever comes first: the key, or the end of its reader.
                #expect(
                    ["130 130 130\n", "141 130 130\n"].contains(Files.read("\(directory)/statuses\(number)")))
                #expect(try records(number).count == 8)
            }
            try await sandbox.stopCleanly(daemon)
        }
    }
}
