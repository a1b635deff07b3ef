internal import Glibc

/// The text of an errno: its name, such as `ENOENT`, and the system's message.
public enum SystemErrorName {
    /// `No such file or directory (ENOENT)`; without the name if it is not in the table.
    public static func text(of errno: Int32) -> String {
        guard let name = name(of: errno) else { return sentence(of: errno) }
        return "\(sentence(of: errno)) (\(name))"
    }

    /// `No such file or directory`, in the C locale's English; `error 12345` for a number the system does not know.
    public static func sentence(of errno: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, strerror_r(errno, base, buffer.count) == 0 else {
                return "error \(errno)"
            }
            return String(cString: base)
        }
    }

    /// `ENOENT`, for programs; `errno 12345` for a number that is not in the table.
    public static func code(of errno: Int32) -> String { name(of: errno) ?? "errno \(errno)" }

    /// `ENOENT`; nil for a number that is not in the table.
    public static func name(of errno: Int32) -> String? { names[errno] }

    /// The errors of sockets, files, pipes, and starting programs.
    private static let names: [Int32: String] = [
        E2BIG: "E2BIG", EACCES: "EACCES", EAGAIN: "EAGAIN", EBADF: "EBADF", EBUSY: "EBUSY",
        ECONNREFUSED: "ECONNREFUSED", ECONNRESET: "ECONNRESET", EDQUOT: "EDQUOT", EEXIST: "EEXIST", EFBIG: "EFBIG",
        EINVAL: "EINVAL", EIO: "EIO", EISDIR: "EISDIR", ELIBBAD: "ELIBBAD", ELOOP: "ELOOP", EMFILE: "EMFILE",
        ENAMETOOLONG: "ENAMETOOLONG", ENFILE: "ENFILE", ENODEV: "ENODEV", ENOENT: "ENOENT", ENOEXEC: "ENOEXEC",
        ENOMEM: "ENOMEM", ENOSPC: "ENOSPC", ENOSYS: "ENOSYS", ENOTDIR: "ENOTDIR", ENOTEMPTY: "ENOTEMPTY",
        ENOTSOCK: "ENOTSOCK", ENXIO: "ENXIO", EPERM: "EPERM", EPIPE: "EPIPE", EPROTOTYPE: "EPROTOTYPE",
        EROFS: "EROFS", ESTALE: "ESTALE", ETIMEDOUT: "ETIMEDOUT", ETXTBSY: "ETXTBSY",
    ]
}
