import Glibc
import RxJSON
import TestSupport
import Testing

/// Streams whose programs use all of their processor time.
@Suite(.ownThreads(limit: .seconds(120)))
struct SlowProgramTests {
    /// The service manager's end of the socket for notifications.
    private final class Manager {
        let path: String
        private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        private(set) var keepAlives = 0

        init(path: String) {
            self.path = path
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let result = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            precondition(result == 0, "cannot bind \(path): \(errno)")
        }

        deinit { close(descriptor) }

        /// Counts the keep-alives that have come.
        func read() {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                guard count >= 0 else { return }
                if String(decoding: bytes[..<count], as: UTF8.self) == "WATCHDOG=1" { keepAlives += 1 }
            }
        }
    }

    private func figure(_ name: String, of stream: String, _ sandbox: Sandbox) async throws -> Int {
        let described = try await sandbox.rxctl("why", stream, "--json").values().first
        return try #require(described?[name]?.int)
    }

    @Test("keep neither the watchdog nor other streams waiting, though one element takes them long")
    func expansion() async throws {
        try await withSandbox { sandbox in
            sandbox.configure(
                """
                [stream.slow1]
                subject = true
                through = [{ map = ".[]" }, { map = "last(range(.))" }]
                [stream.slow2]
                subject = true
                through = [{ map = ".[]" }, { map = "last(range(.))" }]
                [stream.quick]
                subject = true
                through = [{ map = ". + 1" }]

                """, file: "conf.d/streams.toml")
            let manager = Manager(path: sandbox.directory + "/notify")
            // Nobody acts when an interval has passed.
            let daemon = try await sandbox.start(
                [Programs.rxd, "--config", sandbox.config, "--socket", sandbox.socket, "--state", sandbox.state],
                environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "300000"])
            #expect(try await sandbox.rxctl("status", "--wait", "50s").status == 0)
            let reader = try await sandbox.startRxctl(
                "subscribe", "quick", "--values", "--from", "start", "--count", "1")
            // Each value takes the whole second that a program has.
            let values = "[" + Array(repeating: "1e10", count: 20).joined(separator: ",") + "]"
            for stream in ["slow1", "slow2"] { #expect(try await sandbox.rxctl("send", stream, values).status == 0) }
            for stream in ["slow1", "slow2"] {
                try await eventually("it fails") { try await figure("failures", of: stream, sandbox) > 0 }
            }
            manager.read()
            let before = manager.keepAlives
            #expect(try await sandbox.rxctl("send", "quick", "1").status == 0)
            #expect(try await reader.result().output == "2\n")
            try await eventually("keep-alives come") {
                manager.read()
                return manager.keepAlives >= before + 2
            }
            for stream in ["slow1", "slow2"] {
                #expect(try await figure("taken", of: stream, sandbox) == 0, "it is still in its turn")
            }
            daemon.signal(SIGKILL)
        }
    }
}
