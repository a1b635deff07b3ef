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
        endOrphans(grace: grace, in: LinuxSessions(), by: LinuxClock())
    }

    /// The same in another world than the machine's.
    func endOrphans(grace: Duration, in sessions: some SessionSystem, by clock: some MonotonicClock) -> [String] {
        let lines = file.texts()
        defer { for line in lines { file.release(line.slot) } }
        let orphans = Orphans(sessions: sessions, clock: clock, boot: boot)
        return orphans.end(lines.map { ($0.text, $0.isWhole) }, grace: grace)
    }
}

/// The processes that a previous daemon left behind.
private struct Orphans<Sessions: SessionSystem, Clock: MonotonicClock> {
    let sessions: Sessions
    let clock: Clock
    let boot: String

    /// Ends the processes of these lines of the ledger, and returns their executions.
    func end(_ lines: [(text: Substring, isWhole: Bool)], grace: Duration) -> [String] {
        let records = lines.compactMap { record($0.text, isWhole: $0.isWhole) }
        let orphans = records.map { ($0, members(of: $0)) }.filter { !$0.1.isEmpty }
        guard !orphans.isEmpty else { return [] }
        let ours = orphans.map(\.0)
        // Once the leader is gone, members may no longer be identifiable, so remember the current ones.
        let known = orphans.flatMap(\.1)
        for record in ours { signal(SIGTERM, record) }
        if !wait(for: ours, and: known, atMost: grace) {
            for record in ours { signal(SIGKILL, record) }
            for member in known where isAlive(member) { sessions.signal(process: member.pid, SIGKILL) }
            _ = wait(for: ours, and: known, atMost: .seconds(1))
        }
        return ours.map(\.execution)
    }

    /// Whether the pid still refers to the same process.
    private func isAlive(_ member: ProcessTable.Entry) -> Bool {
        guard let found = sessions.entry(member.pid) else { return false }
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
            let leaders = sessions.all().filter {
                !$0.isZombie && $0.pid == $0.session && sessions.environment(of: $0.pid, has: variable)
            }
            return leaders.flatMap { session($0.pid).members() }
        }
        let members = session(leader.pid).members()
        if living(leader) != nil { return members }
        return members.filter { sessions.environment(of: $0.pid, has: variable) }
    }

    private func living(_ leader: (pid: pid_t, startTime: UInt64)) -> ProcessTable.Entry? {
        guard let found = sessions.entry(leader.pid), found.startTime == leader.startTime, !found.isZombie
        else { return nil }
        return found.session == found.pid ? found : nil
    }

    private func session(_ leader: pid_t) -> ProcessSession<Sessions> {
        ProcessSession(leader: leader, in: sessions)
    }

    private func signal(_ signal: Int32, _ record: Record) {
        if let leader = record.leader, living(leader) != nil {
            let session = session(leader.pid)
            session.signalGroup(signal)
            session.signalOthers(signal)
            return
        }
        for member in members(of: record) where sessions.entry(member.pid) == member {
            sessions.signal(process: member.pid, signal)
        }
    }

    private func wait(for records: [Record], and known: [ProcessTable.Entry], atMost limit: Duration) -> Bool {
        let deadline = clock.now + limit
        while known.contains(where: isAlive) || records.contains(where: { !members(of: $0).isEmpty }) {
            guard clock.now < deadline else { return false }
            // They are not our children, so there is nothing to wait on. This path runs only after a crash.
            clock.sleep(for: .milliseconds(10))
        }
        return true
    }
}
