import Glibc
import RxJSON
import TestSupport
import Testing

/// `rxctl test` and the tests in `rxd --check`, with the real programs.
@Suite(.ownThreads(limit: .seconds(120)))
struct StreamTestTests {
    /// - Parameter directory: where the action would leave a file.
    private static func configuration(_ directory: String) -> String {
        """
        [action.site]
        run     = ["touch", "\(directory)/executed"]
        overlap = "latest"
        on      = "saves"
        [stream.saves]
        path    = "/srv/site/content"
        through = [{ debounce = "300ms" }]
        """
    }

    private static let tests = """
        [test.one-build]
        stream = "saves"
        given  = { source = "a 100ms b 1s c" }
        expect = "400ms b 1s c"

        [test.replaced]
        action = "site"
        given  = { saves = "a 1s b" }
        mock   = { site = [{ takes = "10s" }] }
        values = { c = { outcome = "started", input = "a" }, d = { outcome = "started", input = "b" } }
        expect = "300ms c 1s d"
        """

    private func configure(_ sandbox: Sandbox, _ tests: String) {
        sandbox.configure(Self.configuration(sandbox.directory))
        mkdir(sandbox.config + "/tests", 0o700)
        sandbox.configure(tests, file: "tests/site.toml")
    }

    private func check(_ sandbox: Sandbox) async throws -> Program.Result {
        try await sandbox.start([Programs.rxd, "--check", "--config", sandbox.config]).result()
    }

    @Test("tests that pass are a line each; nothing is executed, and --check exits 0")
    func passed() async throws {
        try await withSandbox { sandbox in
            configure(sandbox, Self.tests)
            let result = try await sandbox.rxctl("test", sandbox.config)
            #expect(result.output == "passed  one-build\npassed  replaced\n2 tests: 2 passed, 0 failed\n")
            #expect(result.error == "")
            #expect(result.status == 0)
            let check = try await check(sandbox)
            #expect(check.status == 0)
            #expect(!check.error.contains("test"))
            #expect(Files.read(sandbox.directory + "/executed") == nil)
        }
    }

    @Test("a test that fails shows both texts and exits 1, and is a fault of --check; a start does not run it")
    func failed() async throws {
        try await withSandbox { sandbox in
            configure(sandbox, Self.tests.replacing("400ms b 1s c", with: "400ms b 2s c"))
            let result = try await sandbox.rxctl("test", sandbox.config)
            #expect(result.status == 1)
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(
                lines.prefix(5) == [
                    "FAILED  one-build", "  at \(sandbox.config)/tests/site.toml:4", "  expected  400ms b 2s c",
                    "  actual    400ms b 1s c", "                    ^",
                ])
            #expect(lines.suffix(2) == ["passed  replaced", "2 tests: 1 passed, 1 failed"])
            #expect(lines.allSatisfy { $0.count <= 80 })

            let json = try await sandbox.rxctl("test", sandbox.config, "--json").values()
            #expect(json.map { $0["outcome"]?.string } == ["failed", "passed", nil])
            #expect(json.last == ["tests": 2, "passed": 1, "failed": 1])
            #expect(try await sandbox.rxctl("test", sandbox.config, "replaced").status == 0)

            let check = try await check(sandbox)
            #expect(check.status == 78)
            let place = "\(sandbox.config)/tests/site.toml:4: test.one-build.expect: the test has failed\n"
            #expect(check.error.contains(place + "  expected  400ms b 2s c\n  actual    400ms b 1s c\n"))

            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("reload").status == 0)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a configuration or a file of tests with faults exits 78, and an unknown test 5")
    func faulty() async throws {
        try await withSandbox { sandbox in
            configure(sandbox, Self.tests)
            let unknown = try await sandbox.rxctl("test", sandbox.config, "one-bild")
            #expect(unknown.status == 5)
            #expect(unknown.error == "rxd: there is no test one-bild; did you mean \"one-build\"?\n")
            sandbox.configure(
                Self.tests.replacing("expect = \"400ms", with: "expect = \"- 400ms"), file: "tests/site.toml")
            let malformed = try await sandbox.rxctl("test", sandbox.config)
            #expect(malformed.status == 78)
            #expect(malformed.error.hasPrefix("\(sandbox.config)/tests/site.toml:4: test.one-build.expect: \"- 400ms"))
            sandbox.configure(Self.configuration(sandbox.directory).replacing("debounce", with: "debounc"))
            let configuration = try await sandbox.rxctl("test", sandbox.config)
            #expect(configuration.status == 78)
            #expect(configuration.error.contains("did you mean \"debounce\"?"))
            #expect(configuration.output == "")
        }
    }

    @Test("a program that never ends fails its test within the limit of the daemon, and not the check as a whole")
    func endless() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[stream.s]\nsubject = true\nthrough = [{ map = 'def f: f; f' }]")
            mkdir(sandbox.config + "/tests", 0o700)
            sandbox.configure(
                "[test.t]\nstream = \"s\"\ngiven = { source = \"a\" }\nexpect = \"a\"", file: "tests/t.toml")
            let result = try await sandbox.rxctl("test", sandbox.config)
            #expect(result.status == 1)
            #expect(result.output.contains("  actual    #"))
        }
    }

    @Test("a value that only the source understands is a fault of a check, a start, and a reload, with its place")
    func values() async throws {
        try await withSandbox { sandbox in
            let fault =
                "\(sandbox.config)/rxd.toml:3: action.a.on.signal: HUP has a meaning for the daemon; use USR1, USR2, "
                + "or RTMIN+1 to RTMAX"
            let wrong = "[action.a]\nbuiltin = \"echo\"\non.signal = \"HUP\""
            sandbox.configure(wrong)
            #expect(try await check(sandbox).error == fault + "\n")
            #expect(try await check(sandbox).status == 78)
            let start = try await sandbox.start([
                Programs.rxd, "--config", sandbox.config, "--socket", sandbox.socket, "--state", sandbox.state,
            ]).result()
            #expect(start.status == 78)
            #expect(start.error.contains(fault))
            sandbox.configure(wrong.replacing("HUP", with: "USR1"))
            let daemon = try await sandbox.startDaemon()
            sandbox.configure(wrong)
            let reload = try await sandbox.rxctl("reload")
            #expect(reload.status != 0)
            #expect(reload.error.contains(fault))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("describe --operators needs no daemon, and has every operator")
    func reference() async throws {
        try await withSandbox { sandbox in
            let text = try await sandbox.rxctl("describe", "--operators")
            #expect(text.status == 0)
            #expect(text.output.contains("  debounce = a duration such as \"10s\""))
            #expect(text.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
            let values = try await sandbox.rxctl("describe", "--operators", "--json").values()
            let debounce = try #require(values.first { $0["operator"] == "debounce" })
            #expect(debounce["keys"]?[0]?["key"] == "at-most")
            #expect(values.contains { $0["source"] == "cron" })
        }
    }
}
