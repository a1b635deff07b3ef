internal import Glibc

/// Which process groups are alive, on disk: what the next start must end if this daemon is killed.
///
/// A file `processes/EXECUTION` in the state directory stands for each process, from before it is started until its
/// execution has ended. It says `boot-id pid start-time`; until the process is started it is empty. One daemon has a
/// state directory to itself, so that none takes another's processes for orphans.
final class ProcessLedger: Sendable {
    /// From SIGTERM to SIGKILL for orphans: a start does not wait long for processes nobody waits for.
    static let orphanGrace = Duration.seconds(2)

    private let directory: String
    private let lock: Int32
    private let boot = ProcessTable.bootID()

    /// Makes `stateDirectory/processes` (mode 0700) if it is not there, and keeps it to itself until deinitialised.
    init(stateDirectory: String) throws(ProcessLedgerError) {
        directory = "\(stateDirectory)/processes"
        for path in [stateDirectory, directory] where mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw ProcessLedgerError(path: path, problem: .system(errno))
        }
        let path = "\(directory)/.lock"
        lock = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw ProcessLedgerError(path: path, problem: .system(errno)) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(lock)
            throw ProcessLedgerError(path: directory, problem: code == EWOULDBLOCK ? .inUse : .system(code))
        }
    }

    deinit { close(lock) }

    // MARK: Recording

    /// Opens the record of an execution whose process is about to start; nil if it cannot be written, which must not
    /// keep work from being done (it may be the work that makes room on the disk).
    func open(execution: String) -> Entry? {
        let path = "\(directory)/\(execution)"
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        return Entry(path: path, descriptor: descriptor, boot: boot)
    }

    /// The record of one execution.
    struct Entry: Sendable {
        fileprivate let path: String
        fileprivate let descriptor: Int32
        fileprivate let boot: String

        /// To be called before anything is read from the process.
        func record(_ pid: pid_t) {
            guard let startTime = ProcessTable.entry(pid)?.startTime else { return }
            var line = "\(boot) \(pid) \(startTime)\n"
            _ = line.withUTF8 { write(descriptor, $0.baseAddress, $0.count) }
        }

        /// The execution has ended, and its record with it.
        func close() {
            unlink(path)
            Glibc.close(descriptor)
        }
    }

    // MARK: Orphans

    /// Ends the process groups an earlier daemon left behind and forgets its records; returns the executions whose
    /// processes were ended. To be called before anything is started. Blocks for `grace` at most, and a moment more.
    ///
    /// A group is taken for ours only if its leader is the process that was recorded, by pid and start time, or, when
    /// the leader is gone, member by member if `RX_EXECUTION` in its environment names the execution.
    func endOrphans(grace: Duration = orphanGrace) -> [String] {
        let records = readRecords()
        defer { for record in records { unlink("\(directory)/\(record.execution)") } }
        let orphans = records.filter { !members(of: $0).isEmpty }
        guard !orphans.isEmpty else { return [] }
        for record in orphans { signal(SIGTERM, record) }
        if !wait(for: orphans, atMost: grace) {
            for record in orphans { signal(SIGKILL, record) }
            _ = wait(for: orphans, atMost: .seconds(1))
        }
        return orphans.map(\.execution)
    }

    private struct Record {
        let execution: String
        /// Nil if the daemon was killed between opening the record and writing it.
        let leader: (pid: pid_t, startTime: UInt64)?
    }

    private func readRecords() -> [Record] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var records: [Record] = []
        while let item = readdir(stream) {
            let name = withUnsafeBytes(of: item.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard !name.hasPrefix(".") else { continue }
            if let record = readRecord(name) { records.append(record) } else { unlink("\(directory)/\(name)") }
        }
        return records
    }

    /// Nil for a record of before the machine started, which stands for nothing that lives.
    private func readRecord(_ name: String) -> Record? {
        let descriptor = Glibc.open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        // A boot id, a pid and a start time are 80 bytes at most.
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = max(0, read(descriptor, &buffer, buffer.count))
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        if text.isEmpty { return Record(execution: name, leader: nil) }
        let fields = text.split { $0 == " " || $0 == "\n" }
        guard fields.count == 3, fields[0] == boot, let pid = pid_t(fields[1]), pid > 1,
            let startTime = UInt64(fields[2])
        else { return nil }
        return Record(execution: name, leader: (pid, startTime))
    }

    /// The living processes of a record, as far as they are ours beyond doubt.
    private func members(of record: Record) -> [ProcessTable.Entry] {
        let variable = "\(ProcessEnvironment.executionVariable)=\(record.execution)"
        guard let leader = record.leader else {
            // Leaders only: who left the group did so to outlive it.
            let leaders = ProcessTable.all().filter {
                !$0.isZombie && $0.pid == $0.group && ProcessTable.environment(of: $0.pid, has: variable)
            }
            return leaders.flatMap { group(of: $0.pid) }
        }
        if let found = living(leader), found.group == found.pid { return group(of: leader.pid) }
        return group(of: leader.pid).filter { ProcessTable.environment(of: $0.pid, has: variable) }
    }

    private func living(_ leader: (pid: pid_t, startTime: UInt64)) -> ProcessTable.Entry? {
        guard let found = ProcessTable.entry(leader.pid), found.startTime == leader.startTime, !found.isZombie
        else { return nil }
        return found
    }

    private func group(of pid: pid_t) -> [ProcessTable.Entry] {
        ProcessTable.all().filter { $0.group == pid && !$0.isZombie }
    }

    private func signal(_ signal: Int32, _ record: Record) {
        if let leader = record.leader, let found = living(leader), found.group == found.pid {
            // All at once, so that none can start another in between.
            _ = kill(-leader.pid, signal)
            return
        }
        for member in members(of: record) where ProcessTable.entry(member.pid) == member {
            _ = kill(member.pid, signal)
        }
    }

    private func wait(for records: [Record], atMost limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        while records.contains(where: { !members(of: $0).isEmpty }) {
            guard ContinuousClock.now < deadline else { return false }
            // They are nobody's children, so there is nothing to wait on; this is a start after a crash, not a path
            // that is taken often.
            usleep(10_000)
        }
        return true
    }
}

/// Why the state directory cannot be used.
struct ProcessLedgerError: Error, Equatable, CustomStringConvertible {
    enum Problem: Equatable {
        case inUse
        case system(Int32)
    }

    let path: String
    let problem: Problem

    var description: String {
        switch problem {
        case .inUse: "\(path): another rxd has this state directory"
        case .system(let code): "\(path): cannot be written: \(errnoText(code))"
        }
    }
}
