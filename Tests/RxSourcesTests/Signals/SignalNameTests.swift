import Glibc
import Testing

@testable import RxSources

struct SignalNameTests {
    @Test("USR1, USR2, and the real-time signals have names")
    func names() throws {
        let first = __libc_current_sigrtmin()
        let last = __libc_current_sigrtmax()
        for (name, number) in [
            ("USR1", SIGUSR1), ("USR2", SIGUSR2), ("RTMIN", first), ("RTMIN+1", first + 1), ("RTMAX", last),
            ("RTMAX-2", last - 2), ("RTMIN+\(last - first)", last),
        ] {
            #expect(try SignalName(name).number == number)
            #expect(try SignalName(name).description == name)
        }
    }

    @Test(
        "a signal that a stream cannot use is rejected with the reason",
        arguments: [
            ("HUP", "HUP has a meaning for the daemon"), ("SIGTERM", "TERM has a meaning for the daemon"),
            ("CHLD", "CHLD has a meaning for the daemon"), ("PIPE", "PIPE has a meaning for the daemon"),
            ("INT", "INT has a meaning for the daemon"), ("KILL", "no program can receive KILL"),
            ("SEGV", "SEGV comes from the kernel"), ("SIGUSR1", "write USR1 instead of SIGUSR1"),
            ("usr1", #"unknown signal "usr1""#), ("", #"unknown signal """#), ("10", #"unknown signal "10""#),
            ("RTMIN+99", "RTMIN+99 is not between RTMIN and RTMIN+"), ("RTMIN+01", "RTMIN+01 is not between"),
            ("RTMIN+0", "RTMIN+0 is not between"), ("RTMIN-1", "RTMIN-1 is not between"),
            ("RTMAX+1", "RTMAX+1 is not between"),
        ])
    func faults(text: String, message: String) {
        let fault = #expect(throws: SignalName.Fault.self) { try SignalName(text) }
        #expect(fault?.description.hasPrefix(message) == true, "\(fault?.description ?? "none")")
    }
}
