import Glibc
import RxJSON
import TestSupport
import Testing

/// The processes that run the programs of reactors, beside the daemon that they belong to.
@Suite(.ownThreads(limit: .seconds(120)))
struct WorkerTests {
    /// `sum` adds. `wild` counts, and misbehaves at `"loop"` and `"bloat"`.
    private static let configuration = """
        [reactor.sum]
        initial = { n = 0 }
        mutate = [{ mutation = '.action' }]
        reduce = '.state.n += .mutation | .state'

        [reactor.wild]
        initial = { n = 0 }
        mutate = [
            { when = '.action == "loop"', mutation = '[repeat(1)]' },
            { when = '.action == "bloat"', mutation = 'reduce range(100) as $i ("x"; . + .)' },
            { when = '.action | numbers', mutation = '.action' },
        ]
        reduce = '.state.n += .mutation | .state'
        """

    /// With a daemon and those of its workers that have begun.
    private func withWorkers(
        _ count: Int = 2, _ body: (Sandbox, Program, [pid_t]) async throws -> Void
    ) async throws {
        try await withSandbox { sandbox in
            sandbox.configure(WorkerTests.configuration)
            let daemon = try await sandbox.startDaemon()
            try await eventually("its workers are there") { Worker.all(of: daemon).count == count }
            try await body(sandbox, daemon, Worker.all(of: daemon))
        }
    }

    private func state(_ sandbox: Sandbox, _ reactor: String) async throws -> JSONValue? {
        try await sandbox.rxctl("state", reactor).values().first
    }

    @Test("a daemon that is killed takes its workers along")
    func killedDaemon() async throws {
        try await withWorkers { sandbox, daemon, workers in
            // One of them has something to do, and would be busy for long.
            _ = try await sandbox.startRxctl("dispatch", "wild", "loop")
            daemon.signal(SIGKILL)
            _ = try await daemon.result()
            try await eventually("no worker is left") { !workers.contains(where: Sandbox.isAlive) }
        }
    }

    @Test("a worker inherits neither the environment nor the files of its daemon")
    func inheritance() async throws {
        try await withWorkers { sandbox, daemon, workers in
            // Enough files that one of them could slip through.
            let open = try await sandbox.startRxctl("subscribe", "sum", "--snapshot")
            try await eventually("somebody is connected") { !open.lines.isEmpty }
            let before = try #require(Worker.all(of: daemon).first)
            kill(before, SIGKILL)
            try await eventually("there is another worker") {
                // A worker may start only when it is needed.
                for reactor in ["sum", "wild"] { _ = try await sandbox.rxctl("dispatch", reactor, "1") }
                return Worker.all(of: daemon).count == 2 && !Worker.all(of: daemon).contains(before)
            }
            #expect(Files.names(in: "/proc/\(daemon.pid)/fd").count > 5)
            for worker in Worker.all(of: daemon) {
                #expect(Files.read("/proc/\(worker)/environ") == "")
                let files = Files.names(in: "/proc/\(worker)/fd").map {
                    Files.target(of: "/proc/\(worker)/fd/\($0)") ?? ""
                }
                #expect(files.dropLast() == ["/dev/null", "/dev/null", "/dev/null"])
                #expect(files.last?.hasPrefix("socket:") == true)
                // Nor the signals that the daemon blocks or ignores, except for the C library's own two.
                #expect(Worker.signals("SigBlk", of: worker) == 0)
                #expect(Worker.signals("SigIgn", of: worker).map { $0 & 0x7FFF_FFFF } == 0)
            }
            open.signal(SIGTERM)
            _ = try await open.result()
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("a killed worker is replaced: an error is reported, and the reactor continues from its state")
    func killedWorker() async throws {
        try await withWorkers { sandbox, daemon, _ in
            #expect(try await sandbox.rxctl("dispatch", "sum", "4").status == 0)
            let errors = try await sandbox.startRxctl(
                "subscribe", "sum", "wild", "--channel", "errors", "--snapshot", "--count", "2")
            try await eventually("it is subscribed") { !errors.lines.isEmpty }
            let workers = Worker.all(of: daemon)
            for worker in workers { kill(worker, SIGKILL) }
            let told = try await errors.result()
            #expect(told.status == 0, "\(told.error)")
            let records = try told.values().dropFirst()
            #expect(records.count == 2)
            #expect(Set(records.map { $0["reactor"] }) == ["sum", "wild"])
            for record in records {
                #expect(record["channel"] == "errors")
                #expect(record["error"]?["data"]?["stage"] == "limit")
                #expect(record["error"]?["message"]?.string?.contains("signal 9") == true, "\(told.output)")
            }
            for reactor in ["sum", "wild"] {
                #expect(try await sandbox.rxctl("dispatch", reactor, "3").status == 0)
            }
            #expect(try await state(sandbox, "sum") == ["n": 7])
            #expect(try await state(sandbox, "wild") == ["n": 3])
            #expect(Worker.all(of: daemon).count == 2)
            #expect(Set(Worker.all(of: daemon)).isDisjoint(with: workers))
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("while one worker is stopped the other reactors continue, and so does it afterwards")
    func standstill() async throws {
        try await withWorkers { sandbox, daemon, workers in
            #expect(try await sandbox.rxctl("dispatch", "wild", "1").status == 0)
            // Of two workers the one of `wild` is that which has to do with it.
            for worker in workers { kill(worker, SIGSTOP) }
            let both = [
                try await sandbox.startRxctl("dispatch", "sum", "1"),
                try await sandbox.startRxctl("dispatch", "wild", "1"),
            ]
            kill(workers[0], SIGCONT)
            try await eventually("one of the two is answered") { both.contains { !$0.output.isEmpty } }
            #expect(both.filter { $0.output.isEmpty }.count == 1)
            // Requests that need no worker were never delayed.
            #expect(try await sandbox.rxctl("execute", "echo", "1").status == 5)
            #expect(try await state(sandbox, "sum") != nil)
            kill(workers[1], SIGCONT)
            for program in both { #expect(try await program.result().status == 0) }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test(
        "a program that never ends, or takes all memory, is ended within its limits; the daemon is unaffected",
        arguments: [("loop", "1s of the processor"), ("bloat", "256 MiB of memory")])
    func runaway(action: String, limit: String) async throws {
        try await withWorkers { sandbox, daemon, _ in
            #expect(try await sandbox.rxctl("dispatch", "wild", "5").status == 0)
            let before = Worker.peakMemory(of: daemon.pid)
            #expect(before > 0)
            let runaway = try await sandbox.startRxctl("dispatch", "wild", action, "--json")
            let behind = try await sandbox.startRxctl("dispatch", "wild", "1")
            for _ in 0..<3 { #expect(try await sandbox.rxctl("dispatch", "sum", "1").status == 0) }
            let result = try await runaway.result()
            #expect(result.status == 1)
            let refusal = try result.refusal()
            #expect(refusal["data"]?["stage"] == "limit")
            #expect(refusal["data"]?["input"] == .string(action))
            #expect(refusal["message"]?.string?.contains(limit) == true, "\(result.error)")
            // The requests behind it are sent again.
            #expect(try await behind.result().status == 0)
            #expect(try await state(sandbox, "wild") == ["n": 6])
            #expect(try await state(sandbox, "sum") == ["n": 3])
            // Most of the worker's memory would show here.
            #expect(Worker.peakMemory(of: daemon.pid) < before + (32 << 20))
            try await sandbox.stopCleanly(daemon)
        }
    }
}

/// What the system knows of workers.
private enum Worker {
    /// The processes of a daemon that have become workers.
    static func all(of daemon: Program) -> [pid_t] {
        Files.names(in: "/proc").compactMap { pid_t($0) }.filter { pid in
            guard let status = Files.read("/proc/\(pid)/stat"), let paren = status.lastIndex(of: ")") else {
                return false
            }
            let fields = status[paren...].split(separator: " ")
            return status[..<paren].hasSuffix("(rxd-jq") && fields.count > 2 && fields[1] != "Z"
                && fields[2] == "\(daemon.pid)"
        }
    }

    /// A set of signals of a process, from `/proc`.
    static func signals(_ set: String, of pid: pid_t) -> UInt64? {
        let lines = (Files.read("/proc/\(pid)/status") ?? "").split(separator: "\n")
        return lines.first { $0.hasPrefix(set + ":\t") }.flatMap { UInt64($0.dropFirst(set.count + 2), radix: 16) }
    }

    /// The most of the machine's memory that a process ever had, in bytes.
    static func peakMemory(of pid: pid_t) -> Int {
        let lines = (Files.read("/proc/\(pid)/status") ?? "").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("VmHWM:") }
        return (line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0)
            << 10
    }
}
