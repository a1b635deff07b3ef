import Glibc
import Testing

/// Work that the test ends. It writes `+n` when it starts and `-n` when it ends, by itself or by SIGTERM, for which it
/// has more time than the default, on a busy machine; `n` is part of its input.
struct Turns {
    let sandbox: Sandbox

    /// An action of this work; `policy` is more lines of its table.
    func configure(_ name: String, _ policy: String) {
        // Nothing ever comes through the pipe: reading it is a pause without a process, of which there would be
        // thousands.
        mkfifo(sandbox.directory + "/pause", 0o600)
        let script = """
            trap 'echo "-$1" >> $0/turns; exit 143' TERM
            exec 3<> $0/pause
            below=0
            echo $$ > $0/pid$1; echo "$RX_EXECUTION" >> $0/executions; echo "+$1" >> $0/turns; echo "$1"
            until [ -e $0/go$1 ] || [ -e $0/all ] || [ "$1" -lt "$below" ]; do
              read -t 0.01 -u 3
              { read -r below < $0/below; } 2>/dev/null || below=0
            done
            echo "-$1" >> $0/turns
            """
        sandbox.configure(
            """
            [action.\(name)]
            run = ["/bin/bash", "-c", '''
            \(script)
            ''', "\(sandbox.directory)", { input = "/n" }]
            grace = "9s"
            \(policy)

            """, file: "conf.d/\(name).toml")
    }

    /// What has started and ended, in order.
    var notes: [String] { lines("turns") }

    /// The executions that have started, in order.
    var executions: [String] { lines("executions") }

    private func lines(_ name: String) -> [String] {
        (Files.read("\(sandbox.directory)/\(name)") ?? "").split(separator: "\n").map(String.init)
    }

    /// The process that does the work of `n`.
    func process(_ n: Int) -> pid_t? {
        Files.read("\(sandbox.directory)/pid\(n)").flatMap { pid_t($0.filter(\.isNumber)) }
    }

    func release(_ n: Int) { Files.write("", to: "\(sandbox.directory)/go\(n)") }

    func releaseAll() { Files.write("", to: "\(sandbox.directory)/all") }

    /// Whatever has a smaller number need not wait.
    func release(below n: Int) {
        Files.write("\(n)\n", to: "\(sandbox.directory)/below.new")
        rename("\(sandbox.directory)/below.new", "\(sandbox.directory)/below")
    }

    func untilStarted(_ n: Int) async throws {
        try await eventually("\(n) has started") { notes.contains("+\(n)") }
    }
}
