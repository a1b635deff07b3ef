import Glibc
import TestSupport
import Testing

@testable import Systemd

/// Each in a process of its own: the environment and the descriptors from 3 upwards belong to the whole process.
@Suite("SocketActivation", .ownThreads)
struct SocketActivationTests {
    /// Announces two descriptors the way systemd does, whatever the test process has open there already.
    static func announce(pid: pid_t, names: String?) {
        var highest: Int32 = 0
        while highest < 4 { highest = open("/dev/null", O_RDONLY) }
        setenv("LISTEN_PID", "\(pid)", 1)
        setenv("LISTEN_FDS", "2", 1)
        if let names { setenv("LISTEN_FDNAMES", names, 1) }
    }

    static var isEnvironmentClean: Bool {
        getenv("LISTEN_PID") == nil && getenv("LISTEN_FDS") == nil && getenv("LISTEN_FDNAMES") == nil
    }

    @Test("sockets come with their names, close on exec, and the environment is cleared")
    func inherits() async {
        await #expect(processExitsWith: .success) {
            Self.announce(pid: getpid(), names: "rxd.socket:admin")
            let sockets = SocketActivation.inherit()
            precondition(
                sockets == [
                    InheritedSocket(fileDescriptor: 3, name: "rxd.socket"),
                    InheritedSocket(fileDescriptor: 4, name: "admin"),
                ])
            precondition(sockets.allSatisfy { fcntl($0.fileDescriptor, F_GETFD) & FD_CLOEXEC != 0 })
            precondition(Self.isEnvironmentClean)
            precondition(SocketActivation.inherit().isEmpty)
        }
    }

    @Test("sockets without names are called unknown")
    func nameless() async {
        await #expect(processExitsWith: .success) {
            Self.announce(pid: getpid(), names: nil)
            precondition(SocketActivation.inherit().map(\.name) == ["unknown", "unknown"])
        }
    }

    @Test("sockets meant for another process are left alone")
    func wrongProcess() async {
        await #expect(processExitsWith: .success) {
            Self.announce(pid: getpid() + 1, names: "rxd.socket:admin")
            precondition(SocketActivation.inherit().isEmpty)
            precondition(Self.isEnvironmentClean)
        }
    }

    @Test("nonsense in the environment is no socket", arguments: ["0", "-1", "many", ""])
    func nonsense(count: String) async {
        await #expect(processExitsWith: .success) { [count] in
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", count, 1)
            precondition(SocketActivation.inherit().isEmpty)
            precondition(Self.isEnvironmentClean)
        }
    }

    @Test("a process that systemd did not start inherits nothing")
    func nothing() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            let manager = ServiceManager.inherit()
            precondition(!manager.notifier.isConnected)
            precondition(manager.watchdogInterval == nil)
            precondition(manager.sockets.isEmpty)
        }
    }

    @Test("a child sees nothing of the inheritance")
    func childEnvironment() async {
        await #expect(processExitsWith: .success) {
            Self.announce(pid: getpid(), names: "a:b")
            setenv("NOTIFY_SOCKET", "/run/systemd/notify", 1)
            setenv("WATCHDOG_USEC", "1000000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            _ = ServiceManager.inherit()
            let found = system("env | grep -qE '^(NOTIFY_SOCKET|WATCHDOG_|LISTEN_)'")
            precondition(found != 0)
        }
    }
}
