import Glibc
import RxJSON
import TestSupport
import Testing

/// Types the misuses in `misuses.console` and compares each message with the reviewed one.
///
/// After a command come the lines that it prints, on stdout and stderr, and its exit status in brackets. To change
/// messages, run this with `RX_WRITE_MISUSES=1` and review the difference.
@Suite(.ownThreads(limit: .seconds(300)))
struct MisuseTests {
    @Test(
        "each misuse is answered with what is wrong, where, and what to do",
        .enabled(if: getuid() == 0 && Programs.installed("setpriv") != nil, "only root can be several users"))
    func messages() async throws {
        var lines = try #require(Files.read(Self.path)).split(separator: "\n", omittingEmptySubsequences: false)
        let misuses = Misuse.all(in: lines)
        #expect(misuses.count >= 40)
        try await withSandbox { sandbox in
            sandbox.configure(Self.configuration, file: "conf.d/misuses.toml")
            mkdir(sandbox.directory + "/faulty", 0o755)
            for name in ["home", "runtime", "session"] { mkdir(sandbox.directory + "/" + name, 0o700) }
            chown(sandbox.directory + "/session", 65534, 65534)
            Files.write(Self.faulty, to: sandbox.directory + "/faulty/rxd.toml")
            let daemon = try await sandbox.startDaemon()
            // Other users may connect.
            chmod(sandbox.directory, 0o755)
            chmod(sandbox.socket, 0o666)
            let answers = try await self.answers(to: misuses, sandbox)
            if getenv("RX_WRITE_MISUSES") != nil {
                for (misuse, answer) in zip(misuses, answers).reversed() {
                    lines.replaceSubrange(misuse.lines, with: answer.map { $0[...] })
                }
                return Files.write(lines.joined(separator: "\n"), to: Self.path)
            }
            for (misuse, first) in zip(misuses, answers) {
                var answer = first
                // On a busy machine, the daemon may need more than the second that rxctl waits for the names or the
                // schema that explain a refusal, and a command may have written before the reader of its pipe is gone.
                for _ in 1...10 where answer != misuse.answer {
                    answer = try await self.answers(to: [misuse], sandbox)[0]
                }
                #expect(answer == misuse.answer, "$ \(misuse.command)")
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    /// What the commands print, each with its exit status.
    private func answers(to misuses: [Misuse], _ sandbox: Sandbox) async throws -> [[String]] {
        let script = [Self.functions] + misuses.map { "echo '@@'; \($0.command); echo \"[$?]\"" }
        let result = try await sandbox.shell(
            "exec 2>&1; cd '\(sandbox.directory)'\n" + script.joined(separator: "\n"))
        let answers = result.output.split(separator: "@@\n").map { answer in
            answer.split(separator: "\n").map { Self.withoutIdentity(String($0), sandbox) }
        }
        try #require(answers.count == misuses.count, "\(result.output)")
        return answers
    }

    private static let path = String(#filePath.dropLast("MisuseTests.swift".count)) + "misuses.console"

    private static let configuration = """
        [access]
        contact = "ops@example.org"

        [action.countdown]
        run = ["/bin/sh", "-c", "echo 1"]
        [action.countdown.input]
        type = "object"
        required = ["from"]
        additionalProperties = false
        properties.from = { type = "integer", minimum = 1 }
        properties.unit = { enum = ["s", "ms"] }
        properties.label = { type = "string" }

        [action.backup]
        run = ["/bin/true"]
        allow = { execute = { users = [] }, subscribe = { users = [] } }

        [action.nowhere]
        run = ["/bin/true"]
        cwd = "/nonexistent"

        [action.watcher]
        run = ["/bin/true"]
        on = { every = "1h" }

        [reactor.order]
        initial = { n = 0, last = "none" }
        mutate = [{ mutation = '.action' }]
        reduce = '.mutation as $new | .state | .n += 1 | .last = $new'
        persist = true

        [stream.inbox]
        subject = true

        [stream.hourly]
        every = "1h"

        """

    private static let faulty = """
        [action.gone]
        run = ["nosuchprogram"]

        [action.plain]
        run = ["/etc/passwd"]

        [action.nowhere]
        run = ["/bin/true"]
        cwd = "/nonexistent"

        [action.home]
        run = ["/bin/ls", "~/files"]

        [action.word]
        run = ["df -h"]

        [action.pipe]
        run = ["df -h | grep /dev"]

        [action.operator]
        run = ["/bin/ls", "$HOME/files", "|", "wc"]

        [action.schema]
        run = ["/bin/true"]
        input = { type = "object", requried = ["x"], properties = { x = { minimun = 1 } } }

        """

    /// `other` runs a command as a user without rights, `check` checks a configuration, and `own` runs a command with
    /// nothing from the environment that `rxd --user` reads, except for what follows.
    private static let functions = """
        bin=$(dirname "$rxctl")
        PATH="$bin:$PATH"
        cp "$rxctl" .
        other() { setpriv --reuid=65534 --regid=65534 --clear-groups "./$@"; }
        check() { env PATH=/usr/bin:/bin "$bin/rxd" --config "$1" --check; }
        own() { env STATE_DIRECTORY= XDG_CONFIG_HOME= XDG_STATE_HOME= "$@"; }
        """

    /// Replaces what differs between runs.
    private static func withoutIdentity(_ line: String, _ sandbox: Sandbox) -> String {
        line.replacing(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "ID")
            .replacing(/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}Z/, with: "TIME")
            .replacing(/uid 0( \([^)]*\))?, pid [0-9]+/, with: "WHO")
            // How ids begin changes every two years.
            .replacing(/with 01[0-9a-f];/, with: "with 01x;")
            .replacing(sandbox.directory, with: "DIR")
    }
}

/// One command and what it prints.
private struct Misuse {
    let command: String
    let answer: [String]
    /// Where the answer is in the file.
    let lines: Range<Int>

    /// An answer ends at an empty line.
    static func all(in lines: [Substring]) -> [Misuse] {
        lines.indices.filter { lines[$0].hasPrefix("$ ") }.map { index in
            let rest = lines[(index + 1)...]
            let answer = rest.prefix { !$0.isEmpty && !$0.hasPrefix("$ ") }
            return Misuse(
                command: String(lines[index].dropFirst(2)), answer: answer.map(String.init),
                lines: answer.startIndex..<answer.endIndex)
        }
    }
}
