import Glibc
import RxJSON
import TestSupport
import Testing

@Suite(.ownThreads(limit: .seconds(120)))
struct KillTests {
    private static let napper = """
        [action.napper]
        run = ["/bin/sh", "-c", "echo $$; exec sleep 300"]
        """

    @Test("kill -9 of a client ends its execution and its processes")
    func client() async throws {
        try await withDaemon { sandbox, _ in
            let client = try await sandbox.startRxctl("execute", "sleeper")
            try await eventually("the work prints its process id") { client.output.hasSuffix("\n") }
            let work = try #require(pid_t(client.output.filter(\.isNumber)))
            client.signal(SIGKILL)
            #expect(try await client.result().status == 128 + SIGKILL)
            try await eventually("the work is gone") { !Sandbox.isAlive(work) }
            try await eventually("the action is enabled again") {
                try await sandbox.rxctl("describe", "sleeper").output.contains(#""enabled":true"#)
            }
        }
    }

    @Test("kill -9 of a child is failed work that names the signal")
    func child() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(KillTests.napper, file: "conf.d/napper.toml")
            let daemon = try await sandbox.startDaemon()
            let client = try await sandbox.startRxctl("execute", "napper", "--json")
            try await eventually("the work prints its process id") { client.output.hasSuffix("\n") }
            let work = try #require(pid_t(client.output.filter(\.isNumber)))
            kill(work, SIGKILL)
            let result = try await client.result()
            #expect(result.status == 1)
            #expect(result.error.contains(#""name":"workFailed""#))
            #expect(result.error.contains(#""signal":"#))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("kill -9 of the daemon blocks no restart, and its orphans are ended by the next start")
    func daemon() async throws {
        try await withSandbox { sandbox in
            let first = try await sandbox.startDaemon()
            let client = try await sandbox.startRxctl("execute", "sleeper")
            try await eventually("the work prints its process id") { client.output.hasSuffix("\n") }
            let work = try #require(pid_t(client.output.filter(\.isNumber)))
            first.signal(SIGKILL)
            #expect(try await first.result().status == 128 + SIGKILL)
            #expect(try await client.result().status == 69)
            #expect(Sandbox.isAlive(work), "an orphan")
            #expect(Files.exists(sandbox.socket), "a stale socket")
            #expect(try await sandbox.rxctl("status").status == 69)

            let second = try await sandbox.startDaemon()
            try await eventually("the orphan is gone") { !Sandbox.isAlive(work) }
            #expect(try await sandbox.rxctl("execute", "echo", "1").output == "1\n")
            try await sandbox.stopCleanly(second)
        }
    }

    /// A persistent reactor, so that there is a reactors.db, and work that does not end when it is asked to, but kills
    /// the process whose number is in the file `victim`. Nothing reads its messages once its daemon is gone.
    private static let stubborn = """
        [reactor.counter]
        initial    = { value = 0 }
        mutate     = [{ mutation = ".action" }]
        reduce     = ".state | .value += 1"
        persist    = true
        durability = "sync"

        [action.stubborn]
        run     = ["/bin/sh", "-c", "exec 2>/dev/null; trap 'kill -9 $(cat $RXD_TEST/victim)' TERM; \
        echo $$; while :; do sleep 0.1; done"]
        overlap = "queue"
        durable = true

        """

    @Test("orphans are found after damage to the list of processes also if the first start after it fails or is killed")
    func damagedLedger() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(Self.stubborn, file: "conf.d/stubborn.toml")
            let first = try await sandbox.startDaemon()
            #expect(try await sandbox.rxctl("dispatch", "counter", "null").status == 0)
            let client = try await sandbox.startRxctl("execute", "stubborn")
            try await eventually("the work prints its process id") { client.output.hasSuffix("\n") }
            let work = try #require(pid_t(client.output.filter(\.isNumber)))
            first.signal(SIGKILL)
            _ = try await first.result()
            _ = try await client.result()
            let (ledger, reactors) = (sandbox.state + "/processes", sandbox.state + "/reactors.db")
            let lines = Files.bytes(ledger)
            #expect(lines.prefix(128).contains(UInt8(ascii: "+")))
            Files.write([UInt8](repeating: 0x5A, count: 128) + lines.dropFirst(128), to: ledger)

            // The first start fails after it has put rxd.db in order.
            let kept = Files.bytes(reactors)
            for suffix in ["-wal", "-shm"] {
                #expect(rename(reactors + suffix, sandbox.directory + "/kept" + suffix) == 0)
            }
            Files.write("", to: reactors)
            let words = [
                Programs.rxd, "--config", sandbox.config, "--socket", sandbox.socket, "--state", sandbox.state,
            ]
            unlink(sandbox.socket)
            let refused = try await sandbox.start(words).result()
            #expect(refused.status == 74)
            #expect(refused.error.contains("/processes: damaged"), "\(refused.error)")
            #expect(Sandbox.isAlive(work))
            Files.write(kept, to: reactors)
            for suffix in ["-wal", "-shm"] {
                #expect(rename(sandbox.directory + "/kept" + suffix, reactors + suffix) == 0)
            }

            // The second one is killed while it ends the orphans.
            let victim = sandbox.directory + "/victim"
            let second = try await sandbox.start(["/bin/sh", "-c", "echo $$ > '\(victim)'; exec \"$@\"", "sh"] + words)
            #expect(try await second.result().status == 128 + SIGKILL)
            #expect(Sandbox.isAlive(work))
            unlink(victim)

            let third = try await sandbox.startDaemon()
            #expect(!Sandbox.isAlive(work))
            try await third.logs("ended processes that an earlier daemon left behind")
            try await sandbox.stopCleanly(third)
        }
    }

    /// Work that writes its process id to the file of a name, and of which nothing is stored until it ends.
    private static func sleeping(_ name: String) -> String {
        #"["/bin/sh", "-c", "echo $$ > $RXD_TEST/\#(name); exec sleep 300"]"#
    }

    @Test(
        "orphans of which nothing is stored are found without the list of processes, and its loss is reported",
        arguments: ["removed", "emptied", "overwritten"])
    func lostLedger(_ loss: String) async throws {
        let names = ["listed", "quiet", "source"]
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                action.listed.run = \(Self.sleeping("listed"))
                action.quiet      = { run = \(Self.sleeping("quiet")), history = false }
                stream.source     = { program = \(Self.sleeping("source")) }
                """, file: "conf.d/sleeping.toml")
            let first = try await sandbox.startDaemon()
            for name in ["listed", "quiet"] {
                #expect(try await sandbox.rxctl("execute", name, "--detach").status == 0)
            }
            var pids: [pid_t] = []
            for name in names {
                let file = "\(sandbox.directory)/\(name)"
                try await eventually("\(name) is executing") { (Files.read(file) ?? "").hasSuffix("\n") }
                pids.append(try #require(pid_t((Files.read(file) ?? "").filter(\.isNumber))))
                unlink(file)
            }
            first.signal(SIGKILL)
            _ = try await first.result()
            #expect(pids.allSatisfy(Sandbox.isAlive))
            let ledger = sandbox.state + "/processes"
            switch loss {
            case "removed": unlink(ledger)
            case "emptied": Files.write("", to: ledger)
            default: Files.write([UInt8](repeating: 0x5A, count: 128 * 1024), to: ledger)
            }

            let second = try await sandbox.startDaemon()
            #expect(!pids.contains(where: Sandbox.isAlive))
            let reason =
                loss == "overwritten" ? "damaged;" : "missing or empty, although executions were in flight;"
            try await second.logs("\(ledger): \(reason)")
            try await sandbox.stopCleanly(second)
        }
    }

    @Test("a stop waits for the program of a source, and kills it after its grace")
    func stubbornSource() async throws {
        try await withSandbox { sandbox in
            let script = "trap '' TERM; echo $$ > $RXD_TEST/source; exec sleep 300"
            sandbox.configure(
                #"stream.source = { program = ["/bin/sh", "-c", "\#(script)"] }"#, file: "conf.d/source.toml")
            let daemon = try await sandbox.startDaemon()
            try await eventually("it is executing") {
                (Files.read(sandbox.directory + "/source") ?? "").hasSuffix("\n")
            }
            daemon.signal(SIGTERM)
            #expect(try await daemon.result().status == 0)
            #expect(sandbox.processes().isEmpty)
        }
    }

    @Test("a process that has taken an orphan's number is left alone")
    func recycledNumber() async throws {
        // The next start compares start times; a bystander that was never ours shows that it ends nothing else.
        try await withSandbox { sandbox in
            let bystander = try await sandbox.start(["/bin/sleep", "300"])
            let first = try await sandbox.startDaemon()
            first.signal(SIGKILL)
            _ = try await first.result()
            let second = try await sandbox.startDaemon()
            #expect(Sandbox.isAlive(bystander.pid))
            bystander.signal(SIGTERM)
            _ = try await bystander.result()
            try await sandbox.stopCleanly(second)
        }
    }

    @Test(
        "a kill -9 right after the answer loses no key",
        arguments: [#"run = ["/bin/true"]"#, #"builtin = "echo""#, "run = [\"/bin/true\"]\nhistory = false"])
    func keys(_ action: String) async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[action.keyed]\n\(action)\n", file: "conf.d/keyed.toml")
            for round in 0..<4 {
                let request = """
                    {"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"keyed","key":"k\(round)"}}
                    """
                var answers: [JSONValue?] = []
                for _ in 0..<2 {
                    let daemon = try await sandbox.startDaemon()
                    let client = try LineSocket(path: sandbox.socket)
                    client.send(request)
                    let line = try await client.line()
                    daemon.signal(SIGKILL)
                    _ = try await daemon.result()
                    client.close()
                    let answer = try RawJSON(validating: line).value()
                    // Its end may not be stored yet, and is `interrupted` then.
                    answers.append(answer["result"]?["execution"] ?? answer["error"]?["data"]?["execution"])
                }
                #expect(answers[0] != nil && answers[0] == answers[1])
            }
        }
    }
}
