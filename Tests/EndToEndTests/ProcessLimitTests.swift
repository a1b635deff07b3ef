import Glibc
import RxJSON
import TestSupport
import Testing

/// The daemon under the limits and the nice value that an operator gives it.
@Suite(.ownThreads(limit: .seconds(120)))
struct ProcessLimitTests {
    /// Starts a daemon by a command that executes its arguments, and waits until it answers.
    private func start(_ command: [String], _ sandbox: Sandbox) async throws -> Program {
        let daemon = try await sandbox.start(
            command + [
                Programs.rxd, "--config", sandbox.config, "--socket", sandbox.socket, "--state", sandbox.state,
            ])
        let status = try await sandbox.rxctl("status", "--wait", "50s")
        #expect(status.status == 0, "\(status.error)\n\(daemon.error)")
        return daemon
    }

    @Test("without a free descriptor, a cold daemon survives its first timer and its first process")
    func descriptors() async throws {
        try await withSandbox { sandbox in
            let limit = 64
            let daemon = try await start(["/bin/sh", "-c", "ulimit -n \(limit); exec \"$@\"", "sh"], sandbox)
            let client = try LineSocket(path: sandbox.socket)
            client.send(#"{"jsonrpc":"2.0","id":0,"method":"server.hello"}"#)
            _ = try await client.line()
            var idle: [RawSocket] = []
            try await eventually("all descriptors are taken") {
                idle.append(try RawSocket(path: sandbox.socket))
                return Files.names(in: "/proc/\(daemon.pid)/fd").count >= limit
            }

            func execute(_ action: String, _ input: String) async throws -> JSONValue {
                client.send(
                    #"{"jsonrpc":"2.0","id":1,"method":"action.execute","#
                        + #""params":{"action":"\#(action)","input":\#(input)}}"#)
                return try RawJSON(validating: try await client.line()).value()
            }
            let ticks = try await execute("ticks", #"{"count":2,"interval":"1ms"}"#)
            #expect(ticks["result"]?["elements"]?.array?.count == 2, "\(ticks)")
            let refused = try await execute("exit3", "null")
            #expect(refused["error"]?["data"]?["errno"] == "EMFILE", "\(refused)")

            for socket in idle { socket.close() }
            try await eventually("a process can be started again") {
                try await execute("exit3", "null")["error"]?["data"]?["exit"] == 3
            }
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("the daemon raises its limit of open files, or warns that connections can take all of them")
    func openFiles() async throws {
        try await withSandbox { sandbox in
            func limit(of command: String) async throws -> (soft: Substring?, log: String) {
                let daemon = try await start(["/bin/sh", "-c", "\(command); exec \"$@\"", "sh"], sandbox)
                let limits = try #require(Files.read("/proc/\(daemon.pid)/limits"))
                try await sandbox.stopCleanly(daemon)
                let line = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
                return (line?.split(separator: " ").dropFirst(3).first, daemon.error)
            }
            let raised = try await limit(of: "ulimit -Sn 256")
            #expect(raised.soft == "8192" && !raised.log.contains("files may be open"), "\(raised)")
            let low = try await limit(of: "ulimit -n 256")
            #expect(low.soft == "256" && low.log.contains("at most 256 files may be open"), "\(low)")
        }
    }

    @Test("the daemon allocates with jemalloc, which gives free pages back soon")
    func allocator() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.start(
                [Programs.rxd, "--version"], environment: ["MALLOC_CONF": "stats_print:true"])
            let result = try await daemon.result()
            #expect(result.status == 0)
            for setting in ["opt.narenas: 2", "opt.background_thread: true", "opt.dirty_decay_ms: 10 "] {
                #expect(result.error.contains(setting), "\(setting) is missing:\n\(result.error)")
            }
        }
    }

    @Test("a daemon with too few descriptors to start reports it and exits")
    func tooFewDescriptors() async throws {
        try await withSandbox { sandbox in
            let daemon = try await sandbox.start([
                "/bin/sh", "-c", "ulimit -n 12; exec \"$@\"", "sh", Programs.rxd, "--config", sandbox.config,
                "--socket", sandbox.socket, "--state", sandbox.state,
            ])
            let result = try await daemon.result()
            #expect(result.status == 1)
            #expect(result.error.contains("cannot open 16 descriptors"), "\(result.error)")
            #expect(result.error.contains("raise LimitNOFILE"))
        }
    }

    @Test("programs have the nice value that the daemon was started with")
    func niceValue() async throws {
        try await withSandbox { sandbox in
            sandbox.configure("[action.nice]\nrun = [\"nice\"]\noutput = \"json\"\n", file: "conf.d/nice.toml")
            let daemon = try await start(["nice", "-n", "3"], sandbox)
            let expected = min(19, getpriority(Int32(PRIO_PROCESS.rawValue), 0) + 3)
            #expect(try await sandbox.rxctl("execute", "nice").output == "\(expected)\n")
            try await sandbox.stopCleanly(daemon)
        }
    }

    @Test("signals without a meaning are logged and end nothing")
    func straySignals() async throws {
        try await withDaemon { sandbox, daemon in
            for (number, name) in [(SIGUSR1, "SIGUSR1"), (SIGUSR2, "SIGUSR2")] {
                daemon.signal(number)
                try await eventually("the signal is logged") { daemon.error.contains("ignored \(name)") }
            }
            #expect(try await sandbox.rxctl("execute", "echo", "1").output == "1\n")
        }
    }
}
