internal import Glibc
internal import Logging
internal import Rx
internal import UnixSocket

/// What all processes share: the loop that serves their pipes, the environment they start with, the ledger of those
/// alive, and where their words go.
final class ProcessLauncher: Sendable {
    let loop: EventLoop
    let ledger: ProcessLedger?
    let environment: ProcessEnvironment
    let log: ProcessLog
    /// For the loop's thread.
    let scratch = ReadBuffer()
    private let living = Locked(Living())

    private struct Living {
        /// By execution. Each number is a group's leader that has not been waited for, so it is nobody else's.
        var leaders: [String: pid_t] = [:]
        var isClosed = false
    }

    /// `loop` serves all processes: elements are delivered on its thread. It may be one that serves sockets as well.
    init(
        loop: EventLoop, ledger: ProcessLedger? = nil, environment: ProcessEnvironment = .inherited,
        log: @escaping ProcessLog = { _ in }
    ) {
        self.loop = loop
        self.ledger = ledger
        self.environment = environment
        self.log = log
    }

    /// As a daemon needs it: a ledger in the state directory, swift-log, and a loop on a thread of its own.
    convenience init(state: String) throws {
        let loop = try EventLoop()
        self.init(
            loop: loop, ledger: try ProcessLedger(stateDirectory: state),
            log: ProcessNote.sink(to: Logger(label: "rxd")))
        loop.start(name: "rxd.processes")
    }

    /// Ends what an earlier daemon left behind; see `ProcessLedger.endOrphans`. Before anything is started.
    func endOrphans() {
        for execution in ledger?.endOrphans() ?? [] {
            log(
                ProcessNote(
                    source: .daemon, action: nil, execution: execution,
                    text: "ended the process an earlier rxd left behind"))
        }
    }

    /// SIGKILL to every group now, and to whatever is still being started. For a daemon that leaves at once; any thread.
    func killAll() {
        living.withLock { living in
            living.isClosed = true
            for leader in living.leaders.values { kill(-leader, SIGKILL) }
        }
    }

    // MARK: For executions

    /// Notes a process as alive; false if it must be ended at once.
    func begin(_ execution: String, leader: pid_t) -> Bool {
        living.withLock { living in
            living.leaders[execution] = leader
            return !living.isClosed
        }
    }

    /// To be called before the process is waited for.
    func end(_ execution: String) {
        living.withLock { living in _ = living.leaders.removeValue(forKey: execution) }
    }
}
