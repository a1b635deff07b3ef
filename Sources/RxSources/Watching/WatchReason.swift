internal import Glibc
internal import RxPlatform

/// Sentences about watches and files that are not available.
enum WatchReason {
    /// After this long, a source tries again what the kernel does not announce: a limit that is raised, a permission.
    static let retry = Duration.seconds(30)

    /// Why a watch cannot be added.
    static func noWatch(_ path: RawPath, _ error: FileError) -> String {
        switch error.errno {
        case ENOSPC:
            "cannot watch \(path.text): the user's limit of inotify watches is reached; raise it with "
                + "sysctl fs.inotify.max_user_watches"
        case EMFILE:
            "cannot watch \(path.text): the user's limit of inotify instances, or the limit of open files, is reached; "
                + "raise it with sysctl fs.inotify.max_user_instances, or raise LimitNOFILE"
        case _: "cannot watch \(path.text): \(SystemErrorName.text(of: error.errno))"
        }
    }

    /// Why a path that is not one of a directory cannot be watched.
    static func noDirectory(_ path: RawPath) -> String {
        "\(path.text) is not a directory; to watch a file, set the path to its directory and `include` to its name"
    }

    /// Why a file or directory cannot be read.
    static func unreadable(_ path: RawPath, _ error: FileError) -> String {
        error.errno == ENOENT
            ? "\(path.text) does not exist" : "cannot read \(path.text): \(SystemErrorName.text(of: error.errno))"
    }
}

extension WatchReason {
    /// The system's text of an error.
    static func text(_ error: FileError) -> String { SystemErrorName.text(of: error.errno) }
}
