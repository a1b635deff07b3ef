import Logging
import RxHost
import RxLoop
import TestSupport
import Testing
import UnixSocket

@testable import RxServer
@testable import Systemd

@Suite("A daemon", .ownThreads)
struct HostDaemonTests {
    private let directory = TemporaryDirectory()

    private func daemon(_ socket: String) throws -> HostDaemon {
        HostDaemon(
            host: Host([]), loop: try EventLoop(), options: HostDaemon.Options(socket: directory.path + socket),
            manager: ServiceManager(notifier: Notifier(socketPath: nil), watchdogInterval: nil, sockets: []),
            logger: Logger(label: "test"))
    }

    @Test("begins no work if it cannot listen")
    func cannotListen() throws {
        let daemon = try daemon("/missing/rxd.sock")
        var hasStarted = false
        #expect(throws: SocketError.self) { try daemon.run { _ in hasStarted = true } }
        #expect(!hasStarted)
    }

    private struct Failure: Error {}

    @Test("leaves no socket behind if its work cannot begin")
    func cannotStart() throws {
        let daemon = try daemon("/rxd.sock")
        var names: [String] = []
        #expect(throws: Failure.self) {
            try daemon.run { _ in
                names = directory.names()
                throw Failure()
            }
        }
        #expect(names.contains("rxd.sock") && !directory.names().contains("rxd.sock"))
    }

    @Test("does not listen before what may refuse the start has passed")
    func refused() throws {
        let daemon = try daemon("/rxd.sock")
        var names: [String]?
        var hasStarted = false
        #expect(throws: Failure.self) {
            try daemon.run({ _ in hasStarted = true }) { _ in
                names = directory.names()
                throw Failure()
            }
        }
        #expect(names?.contains("rxd.sock") == false && !hasStarted)
    }
}
