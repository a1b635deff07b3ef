internal import Glibc
internal import Rx
package import RxPlatform

/// The on-disk list of live process groups. If this daemon is killed, the next one ends them when it starts.
///
/// The file `processes` in the state directory has a line for each execution from before the start of its process to
/// its end: `? EXECUTION`, and with a process `+ EXECUTION PID START-TIME BOOT-ID CHECKSUM`. Each daemon has its
/// own state directory, so none treats another's processes as orphans.
package final class ProcessLedger: Sendable {
    let file: LedgerFile
    /// The path of the file.
    package let path: String
    /// What names this ledger in the environment of each process that its daemons start, as `RX_LEDGER`: the device and
    /// the inode of the state directory.
    let name: String
    let boot = ProcessTable.bootID()
    /// For waits of a start: for the lock, and for the end of orphans.
    let clock: LinuxClock
    /// Stays open to hold the lock.
    private let descriptor: Int32
    /// Executions that were entered by `enter` and for which the file has no room.
    private let unlisted = Locked<[String]>([])
    /// How many milliseconds to wait for a child of a killed daemon, which shares the lock until it executes its
    /// program.
    private static let patience = 1000

    /// Creates the directory (mode 0700) and the file if necessary, and locks the file until deinitialization.
    ///
    /// - Throws: the reason why the directory cannot be used, for example because another daemon holds the lock.
    package init(stateDirectory: String, platform: Platform) throws(ProcessLedgerError) {
        clock = LinuxClock(clock: platform.monotonicClock)
        guard mkdir(stateDirectory, 0o700) == 0 || errno == EEXIST else {
            throw ProcessLedgerError(path: stateDirectory, problem: .system(errno))
        }
        var status = stat()
        guard stat(stateDirectory, &status) == 0 else {
            throw ProcessLedgerError(path: stateDirectory, problem: .system(errno))
        }
        name = "\(status.st_dev):\(status.st_ino)"
        let path = "\(stateDirectory)/processes"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw ProcessLedgerError(path: path, problem: .system(errno)) }
        let code = ProcessLedger.lock(descriptor, waitingBy: clock)
        guard code == 0 else {
            close(descriptor)
            throw ProcessLedgerError(path: path, problem: code == EWOULDBLOCK ? .inUse : .system(code))
        }
        switch LedgerFile.open(descriptor) {
        case .success(let file): self.file = file
        case .failure(let error):
            close(descriptor)
            throw ProcessLedgerError(path: path, problem: .system(error.code))
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// Whether the previous daemon started more processes than the file has room for. Like `isDamaged`, until
    /// `endOrphans` has returned.
    package var wasFull: Bool { file.wasFullBefore }

    /// Whether a part of what the previous daemon wrote is missing, for this daemon and any later one until
    /// `endOrphans` has returned.
    package var isDamaged: Bool {
        file.isDamaged || file.texts().contains { OrphanRecord.isMalformed($0.text, isWhole: $0.isWhole, boot: boot) }
    }

    /// Whether nothing is known of a previous daemon: this is the first, or the file was removed or emptied. Like
    /// `isDamaged`, until `endOrphans` has returned.
    package var isNew: Bool { file.isNew }

    /// Adds lines for executions that the previous daemon has not ended, known from another source, unless the file has
    /// them: it may be new or damaged. Call it before that source forgets them, so that no kill loses them.
    ///
    /// `endOrphans` finds their sessions by the environment of the leaders, also if they were started under another
    /// state directory or by a version without `RX_LEDGER`.
    package func enter(_ executions: [String]) {
        let known = Set(file.texts().compactMap { OrphanRecord($0.text, isWhole: $0.isWhole, boot: boot)?.execution })
        for execution in executions where !known.contains(execution) && begin(execution: execution) == nil {
            unlisted.withLock { $0.append(execution) }
        }
    }

    /// Returns the executions that were entered and that the file had no room for; none from then on.
    func takeUnlisted() -> [String] {
        unlisted.withLock { unlisted in
            defer { unlisted = [] }
            return unlisted
        }
    }

    deinit { close(descriptor) }

    /// Returns 0 if the file is locked now, or else an errno.
    private static func lock(_ descriptor: Int32, waitingBy clock: LinuxClock) -> Int32 {
        var code: Int32 = 0
        for millisecond in 0...patience {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return 0 }
            code = errno
            guard code == EWOULDBLOCK || code == EINTR, millisecond < patience else { break }
            clock.sleep(for: .milliseconds(1))
        }
        return code
    }

    /// Adds a line for an execution whose process is about to start. Returns nil if the file is full, which must not
    /// prevent the start: the next daemon looks for all processes by their environment then.
    func begin(execution: String) -> Entry? {
        guard let slot = file.take() else { return nil }
        file.write(" \(execution)", to: slot, mark: .begun)
        return Entry(execution: execution, slot: slot, ledger: self)
    }

    /// The line of one execution.
    struct Entry: Sendable {
        fileprivate let execution: String
        fileprivate let slot: Int
        fileprivate let ledger: ProcessLedger

        /// Records the process, unless it has no start time because it is gone. Call it before reading anything from
        /// the process.
        func record(_ pid: pid_t, startTime: UInt64?) {
            guard let startTime else { return }
            let line = LedgerChecksum.adding(to: "\(execution) \(pid) \(startTime) \(ledger.boot)")
            ledger.file.write(" \(line)", to: slot, mark: .whole)
        }

        /// Removes the line, because the execution and its process group have ended.
        func end() {
            ledger.file.release(slot)
        }
    }
}

/// The reason why the state directory cannot be used.
package struct ProcessLedgerError: Error, Equatable, CustomStringConvertible {
    enum Problem: Equatable {
        case inUse
        case system(Int32)
    }

    let path: String
    let problem: Problem

    /// Whether another daemon uses the state directory.
    package var isInUse: Bool { problem == .inUse }

    package var description: String {
        switch problem {
        case .inUse: "\(path): another rxd has this state directory"
        case .system(let code): "\(path): cannot be written: \(SystemErrorName.text(of: code))"
        }
    }
}
