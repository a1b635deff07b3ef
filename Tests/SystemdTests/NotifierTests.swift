import Glibc
import TestSupport
import Testing

@testable import Systemd

@Suite("Notifier", .ownThreads)
struct NotifierTests {
    let manager = DatagramReceiver()

    @Test("readiness and a status travel in one message")
    func readyWithStatus() {
        let notifier = Notifier(socketPath: manager.path)
        notifier.ready()
        notifier.ready(status: "3 actions")
        #expect(manager.nextText() == "READY=1")
        #expect(manager.nextText() == "READY=1\nSTATUS=3 actions")
    }

    @Test("each state has its message")
    func states() {
        let notifier = Notifier(socketPath: manager.path)
        notifier.status("idle")
        notifier.stopping(status: "finishing")
        notifier.watchdog()
        notifier.extendTimeout(by: .milliseconds(1500))
        #expect(manager.nextText() == "STATUS=idle")
        #expect(manager.nextText() == "STOPPING=1\nSTATUS=finishing")
        #expect(manager.nextText() == "WATCHDOG=1")
        #expect(manager.nextText() == "EXTEND_TIMEOUT_USEC=1500000")
        #expect(manager.next() == nil)
    }

    @Test("a reload reports when it began, by the monotonic clock")
    func reloading() throws {
        func now() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
        }
        let before = now()
        Notifier(socketPath: manager.path).reloading()
        let after = now()
        let lines = try #require(manager.nextText()).split(separator: "\n")
        #expect(lines.first == "RELOADING=1")
        let time = try #require(lines.last?.split(separator: "=").last.flatMap { Int($0) })
        #expect((before...after).contains(time))
    }

    @Test("a status with newlines cannot add assignments of its own")
    func statusIsOneLine() {
        Notifier(socketPath: manager.path).status("a\nSTOPPING=1\r\nb")
        #expect(manager.nextText() == "STATUS=a STOPPING=1 b")
    }

    @Test("the socket may be a file")
    func fileSocket() {
        let manager = DatagramReceiver(name: "/tmp/" + DatagramReceiver.uniqueName)
        Notifier(socketPath: manager.path).ready()
        #expect(manager.nextText() == "READY=1")
    }

    @Test(
        "without a usable socket a notifier is silent",
        arguments: [nil, "", "@", "/", "relative/path", "/" + String(repeating: "x", count: 200)])
    func silent(path: String?) {
        let notifier = Notifier(socketPath: path)
        #expect(!notifier.isConnected)
        notifier.ready()
        notifier.watchdog()
    }

    @Test("a manager that has gone away harms nobody")
    func goneManager() {
        let notifier = Notifier(socketPath: "@" + DatagramReceiver.uniqueName)
        #expect(notifier.isConnected)
        notifier.ready()
        notifier.watchdog()
    }

    @Test("a manager that reads nothing does not hold up the watchdog's thread")
    func busyManager() {
        let notifier = Notifier(socketPath: manager.path)
        // A busy machine may stop some of them for as long as it likes.
        let times = (0..<10).map { _ in
            ContinuousClock().measure {
                for _ in 0..<200 { notifier.watchdog() }
            }
        }
        #expect(times.contains { $0 < Notifier.patience }, "\(times)")
    }

    @Test("NOTIFY_SOCKET is taken out of the environment")
    func inheritance() async {
        await #expect(processExitsWith: .success) {
            let manager = DatagramReceiver()
            setenv("NOTIFY_SOCKET", manager.path, 1)
            let notifier = Notifier.inherit()
            precondition(getenv("NOTIFY_SOCKET") == nil)
            notifier.ready()
            precondition(manager.nextText() == "READY=1")
            precondition(!Notifier.inherit().isConnected)
        }
    }
}
