internal import Glibc

/// An errno as people search for it: its sentence and its name.
public enum SystemText {
    public static func of(_ errno: Int32) -> String {
        let sentence = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
        guard let name = name(of: errno) else { return sentence }
        return "\(sentence) (\(name))"
    }

    /// The names of those that a Unix socket or a file can give.
    public static func name(of errno: Int32) -> String? {
        switch errno {
        case EACCES: "EACCES"
        case EAGAIN: "EAGAIN"
        case ECONNREFUSED: "ECONNREFUSED"
        case ECONNRESET: "ECONNRESET"
        case EISDIR: "EISDIR"
        case EIO: "EIO"
        case ELOOP: "ELOOP"
        case EMFILE: "EMFILE"
        case ENAMETOOLONG: "ENAMETOOLONG"
        case ENOENT: "ENOENT"
        case ENOSPC: "ENOSPC"
        case ENOTDIR: "ENOTDIR"
        case ENOTSOCK: "ENOTSOCK"
        case EPERM: "EPERM"
        case EPIPE: "EPIPE"
        case EPROTOTYPE: "EPROTOTYPE"
        case ETIMEDOUT: "ETIMEDOUT"
        default: nil
        }
    }
}
