internal import Glibc

/// The live processes of the machine at one instant, and those of them that certainly belong to records of the ledger.
struct SessionSnapshot {
    /// The live members for each record, in order: the whole session of a leader that is alive; otherwise each process
    /// that names the execution in its environment.
    let members: [[ProcessTable.Entry]]
    /// The leaders of further sessions that the daemons of one ledger have started, with the executions that their
    /// environments name.
    let others: [(leader: ProcessIdentity, execution: String)]
    private let processes: [ProcessIdentity: ProcessTable.Entry]
    private let sessions: [pid_t: [ProcessTable.Entry]]

    /// Reads the table once, whatever the number of records.
    ///
    /// - Parameter ledger: the ledger to whose sessions there may be no record; nil if its records are complete.
    /// - Throws: if a part of the table cannot be read, so that a member might be missing.
    init(
        of system: some SessionSystem, finding records: [OrphanRecord], startedBy ledger: String? = nil
    ) throws(ProcessTableError) {
        let alive = try system.all().filter { !$0.isZombie }
        let processes = Dictionary(alive.map { ($0.identity, $0) }) { $1 }
        let sessions = Dictionary(grouping: alive, by: \.session)
        var leaders: [String: [pid_t]] = [:]
        var unlisted: [(leader: ProcessIdentity, execution: String)] = []
        if ledger != nil || records.contains(where: { $0.leader == nil }) {
            // A process may have started its session to outlive the work, but this is unlikely during the start.
            for process in alive where process.pid == process.session {
                let origin = try system.origin(of: process.pid)
                if let execution = origin.execution { leaders[execution, default: []].append(process.pid) }
                if let ledger, origin.ledger == ledger, process.pid != system.own {
                    unlisted.append((process.identity, origin.execution ?? ""))
                }
            }
        }
        var members: [[ProcessTable.Entry]] = []
        for record in records {
            guard let leader = record.leader else {
                members.append((leaders[record.execution] ?? []).flatMap { sessions[$0] ?? [] })
                continue
            }
            var found = sessions[leader.pid] ?? []
            if processes[leader]?.session != leader.pid {
                var ours: [ProcessTable.Entry] = []
                for process in found where try system.origin(of: process.pid).execution == record.execution {
                    ours.append(process)
                }
                found = ours
            }
            members.append(found)
        }
        let found = Set(members.joined().map(\.identity))
        others = unlisted.filter { !found.contains($0.leader) }
        self.members = members
        self.processes = processes
        self.sessions = sessions
    }

    func isAlive(_ process: ProcessIdentity) -> Bool { processes[process] != nil }

    /// The live members of the session that the process leads; nil unless it is alive and leads one.
    func session(ledBy leader: ProcessIdentity) -> [ProcessTable.Entry]? {
        processes[leader]?.session == leader.pid ? sessions[leader.pid] : nil
    }
}
