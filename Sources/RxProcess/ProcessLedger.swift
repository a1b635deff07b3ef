internal import RxLoop
internal import Glibc

/// Which process groups are alive, on disk: what the next start must end if this daemon is killed.
///
/// The file `processes` in the state directory has a line for each execution from before its process is started until
/// it has ended: `? EXECUTION`, and once there is a process `+ EXECUTION PID START-TIME BOOT-ID`. One daemon has a state
/// directory to itself, so that none takes another's processes for orphans.
package final class ProcessLedger: Sendable {
    let file: LedgerFile
    let boot = ProcessTable.bootID()
    /// Kept open for its lock.
    private let descriptor: Int32
    /// Milliseconds to wait for a child of a daemon that was killed: until it runs its program, it has the lock too.
    private static let patience = 250

    /// Makes the directory (mode 0700) and the file in it if they are not there, and keeps the file locked until
    /// deinitialised.
    package init(stateDirectory: String) throws(ProcessLedgerError) {
        guard mkdir(stateDirectory, 0o700) == 0 || errno == EEXIST else {
            throw ProcessLedgerError(path: stateDirectory, problem: .system(errno))
        }
        let path = "\(stateDirectory)/processes"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw ProcessLedgerError(path: path, problem: .system(errno)) }
        let code = ProcessLedger.lock(descriptor)
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
    }

    deinit { close(descriptor) }

    /// - Returns: an errno, 0 if it is locked now.
    private static func lock(_ descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        for millisecond in 0...patience {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return 0 }
            code = errno
            guard code == EWOULDBLOCK || code == EINTR, millisecond < patience else { break }
            usleep(1000)
        }
        return code
    }

    /// A line for an execution whose process is about to start; nil if there is no room, which must not keep work from
    /// being done.
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

        /// To be called before anything is read from the process.
        func record(_ pid: pid_t) {
            guard let startTime = ProcessTable.entry(pid)?.startTime else { return }
            ledger.file.write(" \(execution) \(pid) \(startTime) \(ledger.boot)", to: slot, mark: .whole)
        }

        /// The execution has ended, and its process group with it.
        func end() {
            ledger.file.release(slot)
        }
    }
}

/// Why the state directory cannot be used.
package struct ProcessLedgerError: Error, Equatable, CustomStringConvertible {
    enum Problem: Equatable {
        case inUse
        case system(Int32)
    }

    let path: String
    let problem: Problem

    package var description: String {
        switch problem {
        case .inUse: "\(path): another rxd has this state directory"
        case .system(let code): "\(path): cannot be written: \(SystemErrorName.text(of: code))"
        }
    }
}
