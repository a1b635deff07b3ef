import Glibc
import RxJSON
import TestSupport
import Testing

/// The file with the states of reactors, when it is not as it should be: at the start, and while the daemon runs.
@Suite(.ownThreads(limit: .seconds(180)))
struct StateFileTests {
    private static let nobody: uid_t = 65534

    private func startDaemon(_ sandbox: Sandbox, _ durability: String = "sync") async throws -> Program {
        try await sandbox.startTodoDaemon("list", durability: durability)
    }

    private func create(_ sandbox: Sandbox, _ title: String, memo: String = "") async throws -> Program.Result {
        Files.write(#"{"create":{"title":"\#(title)","memo":"\#(memo)"}}"#, to: sandbox.directory + "/action.json")
        return try await sandbox.rxctl("dispatch", "list", "@\(sandbox.directory)/action.json", "--json")
    }

    private func titles(_ sandbox: Sandbox) async throws -> [String] {
        let result = try await sandbox.rxctl("state", "list")
        #expect(result.status == 0, "\(result.error)")
        return try result.values().first?["tasks"]?.array?.reversed().compactMap { $0["title"]?.string } ?? []
    }

    // MARK: At the start

    /// Gives `body` a file with some steps in it, of a daemon that has ended.
    private func withFile(_ body: (Sandbox, String) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            let daemon = try await startDaemon(sandbox)
            for title in ["tea", "milk", "bread"] { #expect(try await create(sandbox, title).status == 0) }
            try await sandbox.stopCleanly(daemon)
            try await body(sandbox, sandbox.state + "/reactors.db")
        }
    }

    /// Expects that a daemon refuses to start, prints these words, and leaves the file as it is.
    private func expectRefusal(
        _ sandbox: Sandbox, as wrapper: [String] = [], status: Int32 = 1, about name: String = "reactors.db",
        saying words: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let file = sandbox.state + "/reactors.db"
        let before = Files.bytes(file)
        let program = try await sandbox.start(wrapper + sandbox.todoDaemon("list", durability: "sync"))
        let result = try await program.result()
        #expect(result.status == status, "\(result.error)", sourceLocation: sourceLocation)
        for word in words + ["\(sandbox.state)/\(name)"] {
            #expect(result.error.contains(word), "\(word)? \(result.error)", sourceLocation: sourceLocation)
        }
        #expect(Files.bytes(file) == before, sourceLocation: sourceLocation)
        #expect(!Files.exists(sandbox.socket), sourceLocation: sourceLocation)
    }

    private func expectStart(_ sandbox: Sandbox, _ expected: [String]) async throws {
        let daemon = try await startDaemon(sandbox)
        #expect(try await titles(sandbox) == expected)
        try await sandbox.stopCleanly(daemon)
    }

    @Test("that is damaged, wherever it is, keeps the daemon from starting, which names it and touches nothing")
    func damaged() async throws {
        try await withFile { sandbox, file in
            let whole = Files.bytes(file)
            try #require(whole.count >= 3 * 4096)
            // No header; a header that lies; the last page, half of it written; the end missing.
            let damages: [[UInt8]] = [
                Array(repeating: 0x5A, count: 100) + whole[100...],
                Array(whole[..<16]) + Array(repeating: 0xFF, count: 84) + whole[100...],
                Array(whole[..<(whole.count - 2048)]) + Array(repeating: 0, count: 2048),
                Array(whole[..<(whole.count - 4096)]),
            ]
            for damage in damages {
                Files.write(damage, to: file)
                try await expectRefusal(sandbox, status: 74, saying: ["left as it is", "--recover"])
            }
            Files.write(whole, to: file)
            try await expectStart(sandbox, ["tea", "milk", "bread"])
        }
    }

    @Test("that another process has locked keeps the daemon from starting, until it has let go")
    func locked() async throws {
        guard let python = Programs.installed("python3") else { return print("skipped: there is no python3") }
        try await withFile { sandbox, file in
            let holder = try await lock(sandbox, file, python)
            try await expectRefusal(sandbox, saying: ["database is locked", "fuser \(file)"])
            holder.signal(SIGKILL)
            _ = try await holder.result()
            try await expectStart(sandbox, ["tea", "milk", "bread"])
        }
    }

    /// A process that keeps others from writing until it is killed.
    private func lock(_ sandbox: Sandbox, _ file: String, _ python: String) async throws -> Program {
        let script = """
            import sqlite3, sys, time
            connection = sqlite3.connect(sys.argv[1], isolation_level=None)
            connection.execute("BEGIN EXCLUSIVE")
            print("locked", flush=True)
            time.sleep(300)
            """
        let holder = try await sandbox.start([python, "-c", script, file])
        try await eventually("it is locked") { holder.lines == ["locked"] }
        return holder
    }

    @Test("that the daemon's user may not write keeps it from starting")
    func others() async throws {
        try await withFile { sandbox, file in
            guard getuid() == 0 else {
                chmod(file, 0o400)
                try await expectRefusal(sandbox, saying: ["Permission denied", "belong to the user"])
                chmod(file, 0o600)
                return try await expectStart(sandbox, ["tea", "milk", "bread"])
            }
            // To root all is allowed: so as somebody else, whose everything else is.
            guard let setpriv = Programs.installed("setpriv") else { return print("skipped: there is no setpriv") }
            for path in [sandbox.directory, sandbox.state] { chmod(path, 0o755) }
            for path in [sandbox.directory, sandbox.state]
                + Files.names(in: sandbox.state).map({ "\(sandbox.state)/\($0)" })
            where path != file {
                chown(path, StateFileTests.nobody, StateFileTests.nobody)
            }
            let nobody = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]
            guard try await sandbox.start(nobody + [Programs.todoDaemon, "--help"]).result().status == 0 else {
                return print("skipped: others cannot reach the program")
            }
            // Another's, with no right to it; and with the right to read only.
            for mode: mode_t in [0o600, 0o644] {
                chmod(file, mode)
                try await expectRefusal(sandbox, as: nobody, saying: ["Permission denied", "belong to the user"])
            }
            try await expectStart(sandbox, ["tea", "milk", "bread"])
        }
    }

    @Test("on a disk that is full keeps the daemon from starting, and loses nothing by it")
    func fullAtStart() async throws {
        try await withSmallDisk { sandbox, disk in
            let daemon = try await startDaemon(sandbox)
            // More than the log had when the daemon began with it anew: there is no room left in it.
            let titles = (1...40).map { "tea \($0)" }
            for title in titles { #expect(try await create(sandbox, title).status == 0) }
            // With its log, as a sudden end leaves it; and cleanly stopped.
            for signal in [SIGKILL, SIGTERM] {
                let next = signal == SIGKILL ? daemon : try await startDaemon(sandbox)
                next.signal(signal)
                _ = try await next.result()
                unlink(sandbox.socket)
                disk.fill()
                try await expectRefusal(sandbox, about: "", saying: ["full"])
                disk.makeRoom()
            }
            try await expectStart(sandbox, titles)
        }
    }

    // MARK: While it runs

    @Test(
        "on a full disk: acknowledged inputs survive a sudden end, and the daemon recovers when there is room",
        arguments: ["sync", "normal", "off"])
    func full(durability: String) async throws {
        try await withSmallDisk { sandbox, disk in
            let daemon = try await startDaemon(sandbox, durability)
            #expect(try await create(sandbox, "before").status == 0)
            // Not at once, at "off".
            try await eventually("it is written") { try await sandbox.history("list").count == 1 }
            disk.fill()
            let memo = String(repeating: "m", count: 9000)
            var (acknowledged, refused): ([String], [String]) = (["before"], [])
            // The log has room for some of it.
            try await eventually("a client learns that nothing is kept") {
                let title = "full \(acknowledged.count + refused.count)"
                let answer = try await create(sandbox, title, memo: memo)
                if answer.status == 0 {
                    acknowledged.append(title)
                    return false
                }
                refused.append(title)
                let refusal = try answer.refusal()
                #expect(answer.status == 1)
                #expect(refusal["code"] == -32603 && refusal["data"]?["cause"] == "store", "\(answer.error)")
                if refused.count == 3 {
                    #expect(refusal["message"]?.string?.contains("full") == true, "\(answer.error)")
                }
                return refused.count == 3
            }
            #expect(try await titles(sandbox) == acknowledged, "what was refused is not in the state")
            disk.makeRoom()
            #expect(try await create(sandbox, "after").status == 0, "the first one after the fault")
            let now = try await titles(sandbox)
            #expect(now == acknowledged + ["after"])
            // At "off" it is written a second later.
            try await eventually("the journal reports that") { daemon.error.contains("writing works again") }
            let history = try await sandbox.history("list")
            #expect(history.contains { $0["replaced"] == "loss" }, "the history shows where it has a gap")
            if durability == "off" { try await sandbox.stopCleanly(daemon) } else { daemon.signal(SIGKILL) }
            _ = try await daemon.result()
            unlink(sandbox.socket)
            try await expectStart(sandbox, now)
        }
    }

    @Test("on a full disk up to a sudden end: everything acknowledged at sync is there, and nothing after a gap")
    func fullToTheEnd() async throws {
        try await withSmallDisk { sandbox, disk in
            let daemon = try await startDaemon(sandbox)
            disk.fill()
            var (acknowledged, refused): ([String], Int) = ([], 0)
            for number in 0..<200 where refused < 3 {
                if try await create(sandbox, "\(number)", memo: String(repeating: "m", count: 9000)).status == 0 {
                    #expect(refused == 0, "nothing is kept behind a gap")
                    acknowledged.append("\(number)")
                } else {
                    refused += 1
                }
            }
            #expect(refused == 3)
            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            unlink(sandbox.socket)
            disk.makeRoom()
            try await expectStart(sandbox, acknowledged)
        }
    }

    @Test("on a full disk up to a sudden end: readers get every failure, and later ones what is kept, then a loss")
    func fullLog() async throws {
        try await withSmallDisk { sandbox, disk in
            sandbox.configure(
                """
                [action.late]
                run = ["false"]
                overlap = "queue"
                limit = 1000

                """)
            let daemon = try await sandbox.startDaemon()
            let reader = try await sandbox.startRxctl("subscribe", "late", "--channel", "errors", "--from", "start")
            var expected: [String] = []
            func fail(_ input: String) async throws {
                let answer = try await sandbox.rxctl("execute", "late", "\"\(input)\"", "--detach")
                #expect(answer.status == 0, "\(answer.error)")
                expected.append(try #require(answer.lines.first))
            }
            func reported() throws -> [String?] {
                try reader.lines.map { try RawJSON(validating: $0).value()["execution"]?.string }
            }
            try await fail("before")
            try await eventually("it is reported") { try reported() == expected }
            let cursor = try RawJSON(validating: reader.lines[0]).value()["cursor"]?.string ?? ""
            disk.fill()
            var losses = 0
            for _ in 0..<500 where losses < 3 {
                try await fail(String(repeating: "x", count: 3000))
                if daemon.error.contains("the state could not be written") { losses += 1 }
            }
            #expect(losses == 3)
            try await eventually("all are reported, in their order") { try reported() == expected }
            reader.signal(SIGINT)
            _ = try await reader.result()
            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            unlink(sandbox.socket)
            disk.makeRoom()
            let next = try await sandbox.startDaemon()
            let late = try await sandbox.rxctl(
                "subscribe", "late", "--channel", "errors", "--from", cursor, "--strict", "--timeout", "50s")
            #expect(late.status == 75, "\(late.error)")
            let records = try late.lines.map { try RawJSON(validating: $0).value() }
            let kept = records.prefix { $0["channel"] == "errors" }.map { $0["execution"]?.string }
            #expect(kept == expected.dropFirst().prefix(kept.count).map { $0 } && kept.count < expected.count - 1)
            #expect(records.count > kept.count && records[kept.count]["channel"] == "lag", "\(late.output)")
            // What comes later is kept.
            try await fail("after")
            let last = try await sandbox.startRxctl("subscribe", "late", "--channel", "errors", "--from", cursor)
            try await eventually("it is reported") { last.lines.last?.contains(expected[expected.count - 1]) == true }
            #expect(last.lines.contains { $0.contains(#""lag""#) } && last.error == "", "\(last.lines) \(last.error)")
            last.signal(SIGINT)
            _ = try await last.result()
            try await sandbox.stopCleanly(next)
        }
    }

    @Test("that another process locks meanwhile: dispatches at sync wait and fail, and are stored again afterwards")
    func lockedMeanwhile() async throws {
        guard let python = Programs.installed("python3") else { return print("skipped: there is no python3") }
        try await withSandbox { sandbox in
            let daemon = try await startDaemon(sandbox)
            #expect(try await create(sandbox, "before").status == 0)
            let file = sandbox.state + "/reactors.db"
            // One that lets go in time: nobody notices but by the time, which is five seconds. A busy machine may need
            // them for something else.
            try await eventually("a lock for a moment goes unnoticed") {
                let short = try await lock(sandbox, file, python)
                let patient = try await sandbox.startRxctl("dispatch", "list", #"{"create":{"title":"patient"}}"#)
                try await eventually("it is reduced, or refused") {
                    let isReduced = try await titles(sandbox) == ["before", "patient"]
                    return isReduced || !Sandbox.isAlive(patient.pid)
                }
                short.signal(SIGKILL)
                return try await patient.result().status == 0
            }

            let long = try await lock(sandbox, file, python)
            let refused = try await create(sandbox, "refused")
            #expect(refused.status == 1)
            #expect(try refused.refusal()["message"]?.string?.contains("fuser \(file)") == true, "\(refused.error)")
            #expect(try await titles(sandbox) == ["before", "patient"])
            long.signal(SIGKILL)
            #expect(try await create(sandbox, "after").status == 0)
            let now = try await titles(sandbox)
            #expect(now == ["before", "patient", "after"])
            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            unlink(sandbox.socket)
            try await expectStart(sandbox, now)
        }
    }
}

/// A file system of a few megabytes, which one can fill.
private struct SmallDisk {
    let path: String
    private var ballast: String { path + "/ballast" }

    /// To the last byte.
    func fill() {
        let descriptor = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0)
        let block = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        close(descriptor)
    }

    func makeRoom() { unlink(ballast) }
}

/// Gives `body` a sandbox whose state directory is a small disk, which takes root.
private func withSmallDisk(_ body: (Sandbox, SmallDisk) async throws -> Void) async throws {
    guard getuid() == 0 else { return print("skipped: only root can mount a small disk") }
    try await withSandbox { sandbox in
        let disk = SmallDisk(path: sandbox.state)
        let mount = ["mount", "-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs", disk.path]
        guard try await sandbox.start(mount).result().status == 0 else {
            return print("skipped: a small disk cannot be mounted here")
        }
        let unmount = ["umount", "--lazy", disk.path]
        do {
            try await body(sandbox, disk)
        } catch {
            _ = try await sandbox.start(unmount).result()
            throw error
        }
        #expect(try await sandbox.start(unmount).result().status == 0)
    }
}
