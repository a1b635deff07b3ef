import Glibc
import RxJSON
import TestSupport
import Testing

/// `rxctl output` against a daemon and real processes.
@Suite(.ownThreads(limit: .seconds(180)))
struct KeptOutputTests {
    /// Executes an action to its end.
    private func ended(_ action: String, in sandbox: Sandbox) async throws -> String {
        let id = try #require(try await sandbox.detach(action, "null")["execution"]?.string)
        #expect(try await sandbox.rxctl("wait", id).status == 0)
        return id
    }

    @Test("elements, stderr that is not UTF-8, and both in their order; also after a restart, and for an action")
    func prints() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                #"""
                [action.talk]
                run = ["sh", "-c", '''
                pause() { until [ -e "$RXD_TEST/$1" ]; do sleep 0.01; done; }
                echo one; pause 1; printf "\377 oh\n" >&2; pause 2; echo two; exit 3
                ''']
                """#, file: "conf.d/talk.toml")
            var daemon = try await sandbox.startDaemon()
            let id = try #require(try await sandbox.detach("talk", "null")["execution"]?.string)
            // What comes next comes after the daemon has read what came before.
            for (number, known) in [("1", "one\n"), ("2", "one\nX oh\n")] {
                try await eventually("the daemon has it") {
                    try await sandbox.shell(#""$rxctl" output talk --all --raw | tr '\377' X"#).output == known
                }
                Files.write("", to: "\(sandbox.directory)/\(number)")
            }
            #expect(try await sandbox.rxctl("wait", id).status == 1)
            for _ in 1...2 {
                for target in [id, "talk"] {
                    let plain = try await sandbox.rxctl("output", target)
                    #expect(plain.output == "\"one\"\n\"two\"\n" && plain.status == 0 && plain.error == "")
                    #expect(try await sandbox.rxctl("output", target, "--raw").output == "one\ntwo\n")
                    #expect(try await sandbox.rxctl("output", target, "--follow").status == 1)
                }
                let bytes = try await sandbox.shell(#""$rxctl" output talk --stderr | od -An -tx1"#)
                #expect(bytes.output == " ff 20 6f 68 0a\n")
                let all = try await sandbox.shell(#""$rxctl" output talk --all --raw | tr '\377' X"#)
                #expect(all.output == "one\nX oh\ntwo\n")
                let json = try await sandbox.rxctl("output", id, "--json").values()
                #expect(json.first?["elements"] == 2 && json.first?["stderr"] == 5)
                try await sandbox.stopCleanly(daemon)
                daemon = try await sandbox.startDaemon()
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("--follow prints what comes, and the last of it, and exits as wait does")
    func follow() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.steps]
                run = ["sh", "-c", '''
                echo first; until [ -e $0/go ]; do sleep 0.01; done; echo warned >&2; echo last; exit 4
                ''', "\(sandbox.directory)"]
                """, file: "conf.d/steps.toml")
            let daemon = try await sandbox.startDaemon()
            let id = try #require(try await sandbox.detach("steps", "null")["execution"]?.string)
            let follower = try await sandbox.startRxctl("output", id, "--follow", "--raw")
            try await eventually("the first line has come") { follower.lines == ["first"] }
            Files.write("", to: sandbox.directory + "/go")
            let result = try await follower.result()
            #expect(result.lines == ["first", "last"] && result.status == 1)
            #expect(try await sandbox.rxctl("output", id, "--stderr").output == "warned\n")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("of a program that writes a lot, 64 KiB at most are kept of each stream, with the counts of what is missing")
    func bounded() async throws {
        try await withSandbox { sandbox in
            // 6 MB in 100,000 elements, and 2 MiB on stderr.
            sandbox.configure(
                #"""
                [action.flood]
                run = ["sh", "-c", '''
                head -c 2097152 /dev/zero | tr '\0' e >&2
                yes "a line of a program that writes more than anyone would read" | head -n 100000
                ''']
                """#, file: "conf.d/flood.toml")
            let daemon = try await sandbox.startDaemon()
            let id = try await ended("flood", in: sandbox)
            let elements = try await sandbox.rxctl("output", id)
            let kept = elements.lines.count
            let size = elements.output.utf8.count
            let line = size / max(kept, 1)
            // Each has quotes, its length, and its time beside it.
            #expect(size <= 65_536 && size > 65_536 - 6 * kept - 2 * line, "\(size)")
            let missing = 100_000 - kept
            #expect(
                elements.error
                    == "rxctl: \(missing) elements (\(missing * line) bytes) are missing here: they were not kept\n")
            let errors = try await sandbox.rxctl("output", id, "--stderr")
            // Each piece between elements has some bytes beside it: at most 1025 pieces in each half.
            let bytes = errors.output.utf8.count
            #expect(errors.output == String(repeating: "e", count: bytes) && bytes <= 65_536 && bytes > 50_000)
            #expect(
                errors.error == "rxctl: \(2_097_152 - bytes) bytes of stderr are missing here: they were not kept\n")
            let head = try await sandbox.shell(
                #""$rxctl" output flood 2> /dev/null | head -1 > /dev/null; echo "${PIPESTATUS[*]}""#)
            #expect(["0 0\n", "141 0\n"].contains(head.output))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("with output = \"0\" there is none, nor of an action that was never executed: exit 5")
    func notKept() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[history]\noutput = \"0\"\n\n[action.say]\nrun = [\"echo\", \"hi\"]\n")
            let daemon = try await sandbox.startDaemon()
            let id = try await ended("say", in: sandbox)
            let result = try await sandbox.rxctl("output", id)
            #expect(result.status == 5 && result.output == "" && result.error == "rxctl: no output of \(id) is kept\n")
            #expect(try await sandbox.rxctl("output", "never").status == 5)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("no writeOnly value is in the kept output, the error, the log, or a file of the state, also after a kill")
    func secrets() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [action.login]
                run = ["sh", "-c", '''
                cat; echo; echo "as hunter2" >&2; until [ -e $0/go ]; do sleep 0.01; done; exit 1
                ''', "\(sandbox.directory)"]
                input = { properties.password = { type = "string", writeOnly = true } }
                """, file: "conf.d/login.toml")
            var daemon = try await sandbox.startDaemon()
            let id = try #require(try await sandbox.detach("login", #"{"password":"hunter2"}"#)["execution"]?.string)
            func stateHas(_ text: String) -> Bool {
                Files.names(in: sandbox.state).contains { name in
                    String(decoding: Files.bytes("\(sandbox.state)/\(name)"), as: UTF8.self).contains(text)
                }
            }
            try await eventually("the output is on the disk") { stateHas(#"as "#) && stateHas(#"\"[redacted]\""#) }
            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            #expect(!stateHas("hunter"))
            daemon = try await sandbox.startDaemon()
            let output = try await sandbox.rxctl("output", id, "--all", "--raw")
            #expect(output.output.contains(#"{"password":"[redacted]"}"#) && output.output.contains("as [redacted]"))
            let record = try await sandbox.rxctl("call", "execution.get", "execution=\(id)").values().first
            #expect(record?["state"] == "interrupted" && (record?["elements"]?.int ?? 0) >= 1)
            Files.write("", to: sandbox.directory + "/go")
            let failed = try await sandbox.rxctl("execute", "login", "password=hunter2")
            #expect(failed.status == 1 && failed.error.contains("as [redacted]") && !failed.error.contains("hunter"))
            try await sandbox.stopCleanly(daemon)
            #expect(!stateHas("hunter"))
            // Without a journal, its records go to standard error.
            #expect(daemon.error.contains("as [redacted]") && !daemon.error.contains("hunter"), "\(daemon.error)")
        }
    }
}
