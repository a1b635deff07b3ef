internal import Glibc

extension ProcessLedger {
    /// The time between SIGTERM and SIGKILL for orphans. Short, because the daemon's start waits for it.
    static let orphanGrace = Duration.seconds(2)

    /// Ends the processes that a previous daemon left behind and clears the ledger. Call it before starting any
    /// process. Blocks for little more than `grace`.
    ///
    /// A session counts as ours only if its leader is the recorded process, by pid and start time; or, if the leader is
    /// gone, for each member whose environment names the execution in `RX_EXECUTION`.
    ///
    /// - Returns: the executions whose processes were ended.
    package func endOrphans(grace: Duration = orphanGrace) -> [String] {
        let lines = file.texts()
        defer { for line in lines { file.release(line.slot) } }
        let records = lines.compactMap { record($0.text, isWhole: $0.isWhole) }
        let orphans = records.map { ($0, members(of: $0)) }.filter { !$0.1.isEmpty }
        guard !orphans.isEmpty else { return [] }
        let ours = orphans.map(\.0)
        // Once the leader is gone, members may no longer be identifiable, so remember the current ones.
        let known = orphans.flatMap(\.1)
        for record in ours { signal(SIGTERM, record) }
        if !wait(for: ours, and: known, atMost: grace) {
            for record in ours { signal(SIGKILL, record) }
            for member in known where isAlive(member) { _ = kill(member.pid, SIGKILL) }
            _ = wait(for: ours, and: known, atMost: .seconds(1))
        }
        return ours.map(\.execution)
    }

    /// Whether the pid still refers to the same process.
    private func isAlive(_ member: ProcessTable.Entry) -> Bool {
        guard let found = ProcessTable.entry(member.pid) else { return false }
        return found.startTime == member.startTime && !found.isZombie
    }

    private struct Record {
        let execution: String
        /// nil if the previous daemon was killed before it recorded the process.
        let leader: (pid: pid_t, startTime: UInt64)?
    }

    /// Returns nil for a malformed line or one from before the machine's last start, which cannot refer to a live
    /// process.
    private func record(_ text: Substring, isWhole: Bool) -> Record? {
        let fields = text.split(separator: " ")
        guard let execution = fields.first else { return nil }
        guard isWhole else { return Record(execution: String(execution), leader: nil) }
        guard fields.count == 4, fields[3] == boot, let pid = pid_t(fields[1]), pid > 1,
            let startTime = UInt64(fields[2])
        else { return nil }
        return Record(execution: String(execution), leader: (pid, startTime))
    }

    /// The live processes of a record that are certainly ours.
    private func members(of record: Record) -> [ProcessTable.Entry] {
        let variable = "\(ProcessEnvironment.executionVariable)=\(record.execution)"
        guard let leader = record.leader else {
            // A process may have started its session to outlive the work, but this is unlikely during the start.
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
            // They are not our children, so there is nothing to wait on. This path runs only after a crash.
            usleep(10_000)
        }
        return true
    }
}
