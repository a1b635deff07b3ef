import Glibc
import RxJSON
import TestSupport
import Testing

/// `rxctl backup`, and the documented way to restore what it made.
@Suite(.ownThreads(limit: .seconds(120)))
struct BackupTests {
    private static let counter = """
        [reactor.counter]
        initial    = { value = 0 }
        mutate     = [{ mutation = ".action" }]
        reduce     = ".state | .value += 1"
        persist    = true
        durability = "sync"

        [action.line]
        run     = ["/bin/sh", "-c", "until [ -e $RXD_TEST/go ]; do sleep 0.05; done; echo done"]
        overlap = "queue"
        limit   = 8
        durable = true

        """

    private func dispatch(_ sandbox: Sandbox, _ count: Int) async throws {
        for _ in 0..<count { #expect(try await sandbox.rxctl("dispatch", "counter", "null").status == 0) }
    }

    private func value(_ sandbox: Sandbox) async throws -> Int? {
        try await sandbox.rxctl("state", "counter").values().first?["value"]?.int
    }

    /// The directories to which the documented command has moved what was there.
    private func putAside(_ sandbox: Sandbox) -> [String] {
        Files.names(in: sandbox.state).filter { $0.hasPrefix("before-restore-") }.map { sandbox.state + "/" + $0 }
    }

    @Test("a backup beside a running daemon, restored as documented, is the state of its moment, and loses nothing")
    func restored() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.counter, file: "conf.d/counter.toml")
            let daemon = try await sandbox.startDaemon()
            try await dispatch(sandbox, 5)
            #expect(try await sandbox.rxctl("execute", "echo", "1").status == 0)
            #expect(try await sandbox.rxctl("execute", "exit3").status == 1)
            for _ in 0..<2 { #expect(try await sandbox.rxctl("execute", "line", "--detach").status == 0) }
            let made = try await sandbox.backup()
            #expect(made.status == 0 && made.error == "", "\(made.error)")
            let copies = ["rxd.db", "reactors.db"].map { sandbox.directory + "/copies/" + $0 }
            #expect(
                try made.values() == copies.map { ["path": .string($0), "bytes": JSONValue(Files.bytes($0).count)] })
            try await dispatch(sandbox, 3)
            #expect(try await sandbox.rxctl("execute", "exit3").status == 1)
            #expect(try await value(sandbox) == 8)
            try await sandbox.stopCleanly(daemon)
            // Later than the backup, and damaged.
            Files.write("", to: sandbox.state + "/reactors.db")

            let restored = try await sandbox.restore()
            #expect(restored.status == 0, "\(restored.error)")
            let next = try await sandbox.startDaemon()
            #expect(try await value(sandbox) == 5)
            #expect(try await sandbox.history("counter").count == 5)
            #expect(try await sandbox.history("exit3").count == 1)
            // What was in flight is interrupted, and what waited runs.
            #expect(try await sandbox.history("line").first?["state"] == "interrupted")
            Files.write("", to: sandbox.directory + "/go")
            try await eventually("the queued one is done") {
                try await sandbox.history("line").last?["state"] == "completed"
            }
            #expect(!next.error.contains(".db"), "no warning of a database: \(next.error)")
            try await dispatch(sandbox, 1)
            #expect(try await value(sandbox) == 6)
            try await sandbox.stopCleanly(next)
        }
    }

    @Test("typed a second time, the documented restore overwrites nothing that the first one has put aside")
    func restoredTwice() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.counter, file: "conf.d/counter.toml")
            let daemon = try await sandbox.startDaemon()
            try await dispatch(sandbox, 2)
            #expect(try await sandbox.backup().status == 0)
            try await dispatch(sandbox, 3)
            try await sandbox.stopCleanly(daemon)
            let before = ["rxd.db", "reactors.db"].map { Files.bytes(sandbox.state + "/" + $0) }

            for round in 1...2 {
                let restored = try await sandbox.restore()
                #expect(restored.status == 0 && restored.error == "", "\(restored.error)")
                #expect(putAside(sandbox).count == round)
                let daemon = try await sandbox.startDaemon()
                #expect(try await value(sandbox) == 2)
                try await dispatch(sandbox, 1)
                try await sandbox.stopCleanly(daemon)
            }
            let kept = putAside(sandbox).map { aside in
                ["rxd.db", "reactors.db"].map { Files.bytes(aside + "/" + $0) }
            }
            #expect(kept.contains(before), "the state before the first restore")
        }
    }

    @Test("the documented restore works without a state directory, behind a link, and without reactors.db")
    func restoredElsewhere() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("execute", "exit3").status == 1)
            #expect(try await sandbox.backup().status == 0)
            try await sandbox.stopCleanly(daemon)
            #expect(Files.names(in: sandbox.directory + "/copies").sorted() == [".lock", "rxd.db"])
            Files.removeTree(sandbox.state)
            for round in 0..<2 {
                if round == 1 {
                    #expect(rename(sandbox.state, sandbox.directory + "/elsewhere") == 0)
                    symlink(sandbox.directory + "/elsewhere", sandbox.state)
                }
                let restored = try await sandbox.restore()
                #expect(restored.status == 0 && restored.error == "", "\(restored.error)")
                #expect(putAside(sandbox).count == round + 1)
                #expect(!Files.names(in: sandbox.directory).contains { $0.contains("rxd.db") }, "nothing beside it")
                let daemon = try await sandbox.startDaemon()
                #expect(try await sandbox.history("exit3").count == 1)
                try await sandbox.stopCleanly(daemon)
            }
        }
    }

    @Test("the documented restore ends at the first part that fails, before it changes anything if it can")
    func restoreFails() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startDaemon()
            try await sandbox.stopCleanly(daemon)
            let before = Files.names(in: sandbox.state).sorted()
            let nothing = try await sandbox.restore(systemctl: "systemctl() { echo \"$1\"; }")
            #expect(nothing.status != 0 && nothing.error.contains("/copies/*.db") && nothing.output == "")
            #expect(Files.names(in: sandbox.state).sorted() == before)

            #expect(try await sandbox.backup().status == 0)
            let later = Files.names(in: sandbox.state).sorted()
            let partial = sandbox.directory + "/copies/reactors.db-partial"
            Files.write("", to: partial)
            let unfinished = try await sandbox.restore(systemctl: "systemctl() { echo \"$1\"; }")
            #expect(unfinished.status != 0 && unfinished.output.hasSuffix(partial + "\n"), "\(unfinished.output)")
            #expect(Files.names(in: sandbox.state).sorted() == later)
            unlink(partial)

            let running = try await sandbox.restore(systemctl: "systemctl() { echo denied >&2; return 1; }")
            #expect(running.status == 1 && running.error == "denied\n")
            #expect(Files.names(in: sandbox.state).sorted() == later)

            // The copies cannot be put in place: what was there is put aside, and rxd is not started.
            let failing = """
                systemctl() { echo "$1"; }
                find() { case "$*" in *install*) return 7 ;; *) command find "$@" ;; esac; }
                """
            let half = try await sandbox.restore(systemctl: failing)
            #expect(half.status == 7 && half.output.hasSuffix("stop\n"), "\(half.output)")
            #expect(putAside(sandbox).count == 1)
            #expect(try await sandbox.restore().status == 0)
            #expect(putAside(sandbox).count == 2)
        }
    }

    @Test("a backup under load is of one moment each, and everything acknowledged before it is in it")
    func underLoad() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.counter, file: "conf.d/counter.toml")
            let daemon = try await sandbox.startDaemon()
            let load = try await sandbox.start(
                ["/bin/sh", "-c", "while :; do \"$0\" dispatch counter null; done", Programs.rxctl])
            for round in 1...5 {
                try await eventually("the load goes on") { load.lines.count > 3 * round }
                let acknowledged = load.lines.count
                let made = try await sandbox.backup("--force")
                #expect(made.status == 0, "\(made.error)")
                let upTo = load.lines.count + 1
                let copy = sandbox.directory + "/copy-\(round)"
                #expect(rename(sandbox.directory + "/copies", copy) == 0)
                let other = try await sandbox.start(
                    [
                        Programs.rxd, "--config", sandbox.config, "--socket", sandbox.directory + "/other.sock",
                        "--state", copy,
                    ])
                let state = try await sandbox.rxctl(
                    "state", "counter", "--wait", "50s", "--socket", sandbox.directory + "/other.sock")
                let value = try #require(try state.values().first?["value"]?.int)
                #expect((acknowledged...upTo).contains(value), "\(acknowledged)...\(upTo)")
                other.signal(SIGTERM)
                #expect(try await other.result().status == 0)
            }
            load.signal(SIGKILL)
            _ = try await load.result()
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a backup after the daemon's end, clean or not, leaves the state as a daemon wants it")
    func offline() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.counter, file: "conf.d/counter.toml")
            for signal in [SIGKILL, SIGTERM, SIGTERM] {
                let daemon = try await sandbox.startDaemon()
                try await dispatch(sandbox, 2)
                daemon.signal(signal)
                _ = try await daemon.result()
                unlink(sandbox.socket)
                // The configuration does not matter.
                sandbox.configure("faulty", file: "conf.d/faulty.toml")
                #expect(try await sandbox.backup("--force").status == 0)
                unlink(sandbox.config + "/conf.d/faulty.toml")
            }
            let daemon = try await sandbox.startDaemon()
            #expect(try await value(sandbox) == 6)
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("each kind of failure has its own exit code and sentence, and no copy keeps its partial name")
    func refused() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("execute", "exit3").status == 1)
            let (state, copies) = (sandbox.state, sandbox.directory + "/copies")
            func backup(_ words: String...) async throws -> Program.Result {
                try await sandbox.rxctl(["backup"] + words)
            }
            let inside = try await backup("--state", state, state + "/copies")
            #expect(inside.status == 2)
            #expect(
                inside.error
                    == "rxd: \(state)/copies: is inside the state directory; a backup needs a directory of its own\n")
            let nothing = try await backup("--state", sandbox.directory + "/nosuch", copies, "--json")
            #expect(nothing.status == 5)
            #expect(try RawJSON(validating: nothing.error).value()["data"]?["name"] == "notFound")
            let nowhere = try await backup("--state", state, sandbox.directory + "/no/such")
            #expect(nowhere.status == 74)
            #expect(nowhere.error.contains("/no/such: mkdir: No such file or directory"), "\(nowhere.error)")
            #expect(try await backup("--state", state, copies).status == 0)
            let again = try await backup("--state", state, copies)
            #expect(again.status == 2 && again.error.contains("/rxd.db: exists already"), "\(again.error)")
            let unwritten = try await sandbox.shell(
                "\"$rxctl\" backup --force --state '\(state)' '\(copies)' > /dev/full")
            #expect(unwritten.status == 74)
            #expect(unwritten.error == "rxd: standard output: No space left on device (ENOSPC)\n")
            for words in [["--force"], ["--json"], ["--backup", copies, "--replay", "light"], ["--backup", ""]] {
                #expect(try await sandbox.start([Programs.rxd] + words).result().status == 64, "\(words)")
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a terminal receives no control characters of what is printed, as text and as JSON")
    func controls() async throws {
        try await withSandbox { sandbox in
            for (option, shown) in [("", "no\u{FFFD}31msuch"), ("--json", #"no\u009b31msuch"#)] {
                let terminal = try await Terminal(
                    #""$rxctl" backup \#(option) --state $'no\xc2\x9b31msuch' /nowhere"#, on: sandbox)
                #expect(try await terminal.program.result().status == 5)
                let text = try await terminal.finalText()
                #expect(text.contains(shown) && !text.contains("\u{9B}"), "\(text)")
            }
        }
    }

    @Test("another user may not read the state; the message names it")
    func forbidden() async throws {
        guard getuid() == 0, let setpriv = Programs.installed("setpriv") else {
            return print("skipped: only root can become another user")
        }
        try await withDaemon { sandbox, _ in
            chmod(sandbox.directory, 0o777)
            let nobody = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]
            guard try await sandbox.start(nobody + [Programs.rxd, "--version"]).result().status == 0 else {
                return print("skipped: others cannot reach the program")
            }
            let words = ["--backup", sandbox.directory + "/copies", "--state", sandbox.state]
            let refused = try await sandbox.start(nobody + [Programs.rxd] + words).result()
            #expect(refused.status == 4)
            #expect(refused.error.contains("\(sandbox.state): uid 65534 may not read it;"), "\(refused.error)")
        }
    }

    @Test("a directory that others may write, or that is another user's, is refused with the reason, and stays empty")
    func sharedDirectory() async throws {
        try await withDaemon { sandbox, _ in
            let copies = sandbox.directory + "/copies"
            mkdir(copies, 0o700)
            chmod(copies, 0o1777)
            let shared = try await sandbox.backup()
            #expect(shared.status == 2)
            #expect(
                shared.error
                    == """
                    rxd: \(copies): others than its owner may write there (mode 01777) and could replace the copies; \
                    use a directory that only its owner may write, such as a new one

                    """)
            chmod(copies, 0o700)
            if getuid() == 0 {
                chown(copies, 65534, 65534)
                let foreign = try await sandbox.backup("--force")
                #expect(foreign.status == 2)
                #expect(
                    foreign.error
                        == """
                        rxd: \(copies): belongs to uid 65534, who could read and replace the copies; use a \
                        directory of uid 0

                        """)
                chown(copies, 0, 0)
            }
            #expect(Files.names(in: copies) == [])
            #expect(try await sandbox.backup().status == 0)
        }
    }

    @Test("a full disk of the copies fails with 74, leaves nothing half-made there, and works when there is room")
    func full() async throws {
        guard getuid() == 0 else { return print("skipped: only root can mount a small disk") }
        try await withSandbox { sandbox in
            sandbox.configure(Self.counter, file: "conf.d/counter.toml")
            let daemon = try await sandbox.startDaemon()
            try await dispatch(sandbox, 3)
            let copies = sandbox.directory + "/copies"
            mkdir(copies, 0o700)
            let mount = ["mount", "-t", "tmpfs", "-o", "size=20k,mode=0700", "tmpfs", copies]
            guard try await sandbox.start(mount).result().status == 0 else {
                return print("skipped: a small disk cannot be mounted here")
            }
            let refused = try await sandbox.backup()
            let names = Files.names(in: copies)
            let remount = try await sandbox.start(["mount", "-o", "remount,size=8m", copies]).result()
            let made = try await sandbox.backup()
            let unmounted = try await sandbox.start(["umount", "--lazy", copies]).result()
            #expect(refused.status == 74 && refused.error.contains("full"), "\(refused.error)")
            #expect(names == [".lock"])
            #expect(remount.status == 0 && unmounted.status == 0)
            #expect(made.status == 0, "\(made.error)")
            try await sandbox.stopCleanly(daemon)
        }
    }
}
