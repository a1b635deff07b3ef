import Glibc
import Testing
import TestSupport

@testable import RxOffline

/// Ctrl-C of a command that starts no daemon.
@Suite(.ownThreads)
struct OfflineInterruptsTests {
    /// A file of a test's parent process, which the process of an exit test finds by that.
    private static func path(of process: pid_t) -> String { "/tmp/rxd-offline-interrupts-\(process)" }

    /// Sends a signal to this thread, which may have been started with all of them blocked.
    private static func send(_ number: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
    }

    private func makeFiles() -> [String] {
        let files = [Self.path(of: getpid()) + "-partial", Self.path(of: getpid())]
        for file in files { close(open(file, O_CREAT | O_WRONLY, 0o600)) }
        return files
    }

    @Test("a signal removes the files that are not complete, and exits with 130; later it removes nothing")
    func signals() async {
        for file in makeFiles() { #expect(access(file, F_OK) == 0) }
        defer { unlink(Self.path(of: getpid())) }
        await #expect(processExitsWith: .exitCode(130)) {
            signal(SIGTERM, SIG_DFL)
            OfflineInterrupts.exitAtOnce()
            let path = OfflineInterruptsTests.path(of: getppid())
            OfflineInterrupts.remove([path])
            OfflineInterrupts.remove([path + "-missing", path + "-partial"])
            OfflineInterruptsTests.send(SIGTERM)
        }
        #expect(access(Self.path(of: getpid()) + "-partial", F_OK) == -1)
        #expect(access(Self.path(of: getpid()), F_OK) == 0)
        await #expect(processExitsWith: .exitCode(130)) {
            signal(SIGHUP, SIG_DFL)
            OfflineInterrupts.exitAtOnce()
            OfflineInterrupts.remove([OfflineInterruptsTests.path(of: getppid())])
            OfflineInterrupts.remove([])
            OfflineInterruptsTests.send(SIGHUP)
        }
        #expect(access(Self.path(of: getpid()), F_OK) == 0)
    }

    @Test("a signal that the parent process ignores stays ignored")
    func ignored() async {
        await #expect(processExitsWith: .exitCode(7)) {
            signal(SIGINT, SIG_IGN)
            OfflineInterrupts.exitAtOnce()
            OfflineInterruptsTests.send(SIGINT)
            exit(7)
        }
    }
}
