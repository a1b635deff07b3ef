internal import Glibc

/// What became of the processes of one execution that a previous daemon left behind.
package struct Orphan: Sendable, Equatable {
    package enum Fate: Sendable, Equatable {
        /// They were alive, and none is any more.
        case ended
        /// Some survive SIGKILL.
        case survived
        /// They may be alive, because the table of processes cannot be read.
        case unknown(ProcessTableError)
    }

    /// nil if nobody knows whether there are any, because the table of processes cannot be read.
    package let execution: String?
    package let fate: Fate
}

extension ProcessLedger {
    /// The time between SIGTERM and SIGKILL for orphans. Short, because the daemon's start waits for it.
    static let orphanGrace = Duration.seconds(2)

    /// Ends the processes that a previous daemon left behind and clears the ledger. Call it before starting any
    /// process. Blocks for little more than `grace`, however many processes there are.
    ///
    /// A session counts as ours only if its leader is the recorded process, by pid and start time; or, if the leader is
    /// gone, for each member whose environment names the execution in `RX_EXECUTION`. If the ledger is new, damaged, or
    /// was full, each session whose leader names the ledger in `RX_LEDGER` is ours as well, also if a process of ours
    /// has started it.
    ///
    /// - Parameter grace: the time between SIGTERM and SIGKILL.
    /// - Returns: the executions whose processes were or may be alive. Those that may still be stay in the ledger, so
    ///   that the next start tries again.
    package func endOrphans(grace: Duration = orphanGrace) -> [Orphan] {
        endOrphans(grace: grace, in: LinuxSessions(), by: clock)
    }

    /// Ends the processes that a previous daemon left behind, with the given sessions and clock.
    func endOrphans(grace: Duration, in sessions: some SessionSystem, by clock: some BlockingClock) -> [Orphan] {
        let lines = file.texts().map { line in
            (slot: line.slot, record: OrphanRecord(line.text, isWhole: line.isWhole, boot: boot))
        }
        var records = lines.compactMap(\.record)
        let known = Set(records.map(\.execution))
        records += takeUnlisted().map { OrphanRecord(execution: $0) }
        let isComplete = !isNew && !isDamaged && !wasFull
        let orphans = OrphanHunt(sessions: sessions, clock: clock)
            .end(records, startedBy: isComplete ? nil : name, grace: grace)
        let kept = Set(orphans.filter { $0.fate != .ended }.compactMap(\.execution))
        let isUnknown = orphans.contains { $0.execution == nil }
        // A malformed line is what makes the next start look again.
        for line in lines where !(line.record.map { kept.contains($0.execution) } ?? isUnknown) {
            file.release(line.slot)
        }
        for execution in kept.subtracting(known) { _ = begin(execution: execution) }
        if !isUnknown { file.settle() }
        return orphans
    }
}

/// A line of the ledger of a previous daemon.
struct OrphanRecord {
    let execution: String
    /// nil if the previous daemon was killed before it recorded the process.
    let leader: ProcessIdentity?

    /// The record of an execution for which the ledger has no line.
    init(execution: String) { self.init(execution: execution, leader: nil) }

    init(execution: String, leader: ProcessIdentity?) {
        self.execution = execution
        self.leader = leader
    }

    /// Whether this program did not write the line.
    static func isMalformed(_ text: Substring, isWhole: Bool, boot: String) -> Bool {
        let fields = text.split(separator: " ", omittingEmptySubsequences: false)
        guard isWhole else { return text.allSatisfy { $0 == " " } }
        // The text begins with a space, and spaces follow it.
        guard fields.count >= 5, pid_t(fields[2]) != nil, UInt64(fields[3]) != nil,
            fields[4].utf8.count == boot.utf8.count
        else { return true }
        // Lines of earlier versions have no checksum.
        return LedgerChecksum.isWrong(text)
    }

    /// Returns nil for a malformed line or one from before the machine's last start, which cannot refer to a live
    /// process.
    init?(_ text: Substring, isWhole: Bool, boot: String) {
        let fields = text.split(separator: " ")
        guard let execution = fields.first else { return nil }
        self.execution = String(execution)
        guard isWhole else {
            leader = nil
            return
        }
        guard fields.count == 4 || fields.count == 5, !LedgerChecksum.isWrong(text), fields[3] == boot,
            let pid = pid_t(fields[1]), pid > 1,
            let startTime = UInt64(fields[2])
        else { return nil }
        leader = ProcessIdentity(pid: pid, startTime: startTime)
    }
}

/// Ends the processes of all records at the same time. Each step reads the table of processes once.
private struct OrphanHunt<Sessions: SessionSystem, Clock: BlockingClock> {
    /// The time that killed processes have to disappear.
    private static var killTime: Duration { .seconds(1) }
    /// They are not our children, so there is nothing to wait on. This path runs only after a crash.
    private static var pause: Duration { .milliseconds(10) }

    private struct Orphaned {
        let record: OrphanRecord
        /// The members seen so far. Once the leader is gone, they may no longer be identifiable.
        var known: Set<ProcessIdentity>
    }

    let sessions: Sessions
    let clock: Clock

    /// - Parameter ledger: the ledger to whose sessions there may be no record; nil if its records are complete.
    func end(_ records: [OrphanRecord], startedBy ledger: String?, grace: Duration) -> [Orphan] {
        guard ledger != nil || !records.isEmpty else { return [] }
        var orphans: [Orphaned]
        do throws(ProcessTableError) {
            let snapshot = try SessionSnapshot(of: sessions, finding: records, startedBy: ledger)
            orphans = zip(records, snapshot.members).map { Orphaned(record: $0, known: Set($1.map(\.identity))) }
            orphans += snapshot.others.map { leader, execution in
                let members = snapshot.session(ledBy: leader) ?? []
                return Orphaned(
                    record: OrphanRecord(execution: execution, leader: leader), known: Set(members.map(\.identity)))
            }
            orphans.removeAll { $0.known.isEmpty }
            for orphan in orphans { signal(SIGTERM, orphan, snapshot) }
        } catch {
            let orphans = records.map { Orphan(execution: $0.execution, fate: .unknown(error)) }
            return ledger == nil ? orphans : orphans + [Orphan(execution: nil, fate: .unknown(error))]
        }
        var fates = watch(&orphans, atMost: grace)
        if fates.contains(where: { $0 != .ended }) {
            fates = watch(&orphans, atMost: Self.killTime, signaling: SIGKILL)
        }
        return zip(orphans, fates).map { Orphan(execution: $0.record.execution, fate: $1) }
    }

    /// Waits until all are gone or the time is over, and returns their fates.
    ///
    /// - Parameter signal: sent to the living ones at each look, because they may have started others.
    private func watch(
        _ orphans: inout [Orphaned], atMost limit: Duration, signaling signal: Int32? = nil
    ) -> [Orphan.Fate] {
        let deadline = clock.now + limit
        while true {
            var fates: [Orphan.Fate] = []
            do throws(ProcessTableError) {
                let snapshot = try SessionSnapshot(of: sessions, finding: orphans.map(\.record))
                for index in orphans.indices {
                    orphans[index].known.formUnion(snapshot.members[index].map(\.identity))
                    let isAlive = orphans[index].known.contains(where: snapshot.isAlive)
                    if isAlive, let signal { self.signal(signal, orphans[index], snapshot) }
                    fates.append(isAlive ? .survived : .ended)
                }
            } catch {
                fates = orphans.map { _ in .unknown(error) }
            }
            guard fates.contains(where: { $0 != .ended }), clock.now < deadline else { return fates }
            clock.sleep(for: Self.pause)
        }
    }

    /// Signals the groups of a session whose leader is the recorded process, and all other members one by one.
    private func signal(_ signal: Int32, _ orphan: Orphaned, _ snapshot: SessionSnapshot) {
        var others = orphan.known
        if let leader = orphan.record.leader, let members = snapshot.session(ledBy: leader), isStill(leader) {
            // The leader's group first, so that it starts no other in between.
            for group in [leader.pid] + Set(members.map(\.group)).subtracting([leader.pid]) {
                sessions.signal(group: group, signal)
                // A stopped process cannot handle it.
                if signal == SIGTERM { sessions.signal(group: group, SIGCONT) }
            }
            others.subtract(members.map(\.identity))
        }
        for process in others where snapshot.isAlive(process) && isStill(process) {
            sessions.signal(process: process.pid, signal)
        }
    }

    /// Whether the pid still refers to that process; false if nobody knows.
    private func isStill(_ process: ProcessIdentity) -> Bool {
        guard let found = try? sessions.entry(process.pid) else { return false }
        return found.identity == process && !found.isZombie
    }
}
