internal import Glibc
internal import RxHost
internal import RxStore
internal import UnixSocket

/// The exit status of a daemon that cannot start or go on, for systemd's `RestartPreventExitStatus=`.
public enum ExitStatus {
    /// The status for an error of `HostDaemon`, in the words of sysexits.h:
    ///
    /// | status | reason |
    /// |---|---|
    /// | 69 | another process listens on the socket |
    /// | 74 | the state is damaged, incomplete, of a later version, or another program's, or does not fit its reactor |
    /// | 75 | another daemon uses the state directory |
    /// | 1 | any other |
    public static func of(_ error: any Error) -> Int32 {
        switch error {
        case StoreError.damaged, StoreError.damagedMark, StoreError.missing, StoreError.rolledBack, StoreError.newer,
            StoreError.foreign:
            EX_IOERR
        case StoreError.inUse: EX_TEMPFAIL
        case SocketError.inUse: EX_UNAVAILABLE
        case let failure as ReactorStartFailure where failure.isOfState: EX_IOERR
        default: EXIT_FAILURE
        }
    }

    /// Whether the daemon cannot start because of the directory or the path of its socket.
    public static func isOfSocketPath(_ error: any Error) -> Bool {
        switch error {
        case SocketError.file, SocketError.pathTooLong, SocketError.notASocket: true
        default: false
        }
    }
}

extension ReactorStartFailure {
    /// Whether the stored state does not fit the reactor. A start reduces nothing but stored mutations, in a replay.
    fileprivate var isOfState: Bool {
        switch fault.stage {
        case .restore, .reduce, .size: true
        case .transform, .mutate, .merge, .limit, .stopped: false
        }
    }
}
