internal import Glibc

// Sendable: used only on the loop's thread; the work for other threads gets a copy of the session.
/// Signals the session of one process and scans it. Scans take milliseconds, so they happen in the background, each
/// after the signals and scans before it. The leader must not be reaped before they are done. Loop thread only.
final class SessionControl<System: ProcessSystem>: @unchecked Sendable {
    private typealias Work = @Sendable (ProcessSession<System.Sessions>) -> @Sendable () -> Void

    private let system: System
    private let session: ProcessSession<System.Sessions>
    private var waiting: [Work] = []
    private var isBusy = false

    init(leader: pid_t, in system: System) {
        self.system = system
        session = ProcessSession(leader: leader, in: system.sessions)
    }

    /// Signals the leader's group at once, and the rest of the session after a scan for it.
    func signal(_ signal: Int32) {
        session.signalGroup(signal)
        enqueue { session in
            session.signalOthers(signal)
            return {}
        }
    }

    /// Calls `report` on the loop with what a scan of the session finds.
    func scan(_ report: @escaping @Sendable (SessionScan) -> Void) {
        enqueue { session in
            let scan: SessionScan
            do throws(ProcessTableError) {
                scan = try session.members().isEmpty ? .empty : .alive
            } catch {
                scan = .unknown(error)
            }
            return { report(scan) }
        }
    }

    /// Runs `work` in the background, and what it returns on the loop.
    private func enqueue(_ work: @escaping Work) {
        waiting.append(work)
        if !isBusy { runNext() }
    }

    private func runNext() {
        isBusy = !waiting.isEmpty
        guard isBusy else { return }
        let work = waiting.removeFirst()
        system.background.run { [self, session] in
            let finish = work(session)
            system.loop.execute {
                finish()
                self.runNext()
            }
        }
    }
}
