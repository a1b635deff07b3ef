import Glibc
import Testing

@testable import RxHost
@testable import RxServer

@Suite("The exit status of the daemon")
struct ExitStatusTests {
    @Test("is 74 if the stored state does not fit its reactor, which no restart changes")
    func reactors() {
        func status(_ stage: ReactorFault.Stage) -> Int32 {
            ExitStatus.of(ReactorStartFailure(reactor: "r", fault: ReactorFault(stage, "no")))
        }
        // `reduce` and `size` come from a mutation that is replayed.
        for stage in [ReactorFault.Stage.restore, .reduce, .size] { #expect(status(stage) == EX_IOERR) }
        for stage in [ReactorFault.Stage.limit, .stopped] { #expect(status(stage) == EXIT_FAILURE) }
    }
}
