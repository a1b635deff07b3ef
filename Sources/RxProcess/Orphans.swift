internal import Glibc

extension ProcessLedger {
    /// From SIGTERM to SIGKILL for orphans: a start does not wait long for processes nobody waits for.
    static let orphanGrace = Duration.seconds(2)

    /// Ends the processes an earlier daemon left behind and forgets them; returns the executions whose
    /// processes were ended. To be called before anything is started. Blocks for `grace` at most, and a moment more.
    ///
    /// A session is taken for ours only if its leader is the process that was recorded, by pid and start time, or, when
    /// the leader is gone, member by member if `RX_EXECUTION` in its environment names the execution.
    package func endOrphans(grace: Duration = orphanGrace) -> [String] {
        let lines = file.texts()
        defer { for line in lines { file.release(line.slot) } }
        let records = lines.compactMap { record($0.text, isWhole: $0.isWhole) }
        let orphans = records.map { ($0, members(of: $0)) }.filter { !$0.1.isEmpty }
        guard !orphans.isEmpty else { return [] }
        let ours = orphans.map(\.0)
        // Once its leader is gone a member may not be known as ours any more; those of now are remembered.
        let known = orphans.flatMap(\.1)
        for record in ours { signal(SIGTERM, record) }
        if !wait(for: ours, and: known, atMost: grace) {
            for record in ours { signal(SIGKILL, record) }
            for member in known where isAlive(member) { _ = kill(member.pid, SIGKILL) }
            _ = wait(for: ours, and: known, atMost: .seconds(1))
        }
        return ours.map(\.execution)
    }

    /// Whether it is still the process it was.
    private func isAlive(_ member: ProcessTable.Entry) -> Bool {
        guard let found = ProcessTable.entry(member.pid) else { return false }
        return found.startTime == member.startTime && !found.isZombie
    }

    private struct Record {
        let execution: String
        /// Nil if the daemon was killed before it knew.
        let leader: (pid: pid_t, startTime: UInt64)?
    }

    /// Nil for a line of before the machine started, or one that makes no sense: it stands for nothing that lives.
    private func record(_ text: Substring, isWhole: Bool) -> Record? {
        let fields = text.split(separator: " ")
        guard let execution = fields.first else { return nil }
        guard isWhole else { return Record(execution: String(execution), leader: nil) }
        guard fields.count == 4, fields[3] == boot, let pid = pid_t(fields[1]), pid > 1,
            let startTime = UInt64(fields[2])
        else { return nil }
        return Record(execution: String(execution), leader: (pid, startTime))
    }

    /// The living processes of a record, as far as they are ours beyond doubt.
    private func members(of record: Record) -> [ProcessTable.Entry] {
        let variable = "\(ProcessEnvironment.executionVariable)=\(record.execution)"
        guard let leader = record.leader else {
            // One of these may have begun its session to outlive the work, but in the moment of the start that is unlikely.
            let leaders = ProcessTable.all().filter {
                !$0.isZombie && $0.pid == $0.session && ProcessTable.environment(of: $0.pid, has: variable)
            }
            return leaders.flatMap { ProcessSession(leader: $0.pid).members() }
        }
        let members = ProcessSession(leader: leader.pid).members()
        if living(leader) != nil { return members }
        return members.filter { ProcessTable.environment(of: $0.pid, has: variable) }
    }

    private func living(_ leader: (pid: pid_t, startTime: UInt64)) -> ProcessTable.Entry? {
        guard let found = ProcessTable.entry(leader.pid), found.startTime == leader.startTime, !found.isZombie
        else { return nil }
        return found.session == found.pid ? found : nil
    }

    private func signal(_ signal: Int32, _ record: Record) {
        if let leader = record.leader, living(leader) != nil {
            let session = ProcessSession(leader: leader.pid)
            session.signalGroup(signal)
            session.signalOthers(signal)
            return
        }
        for member in members(of: record) where ProcessTable.entry(member.pid) == member {
            _ = kill(member.pid, signal)
        }
    }

    private func wait(for records: [Record], and known: [ProcessTable.Entry], atMost limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        while known.contains(where: isAlive) || records.contains(where: { !members(of: $0).isEmpty }) {
            guard ContinuousClock.now < deadline else { return false }
            // They are nobody's children, so there is nothing to wait on; this is a start after a crash, not a path
            // that is taken often.
            usleep(10_000)
        }
        return true
    }
}
