internal import Glibc

/// The name programs know an errno by: "ENOENT". A number that is not in the table is "errno 123".
func errnoName(_ code: Int32) -> String {
    names[code] ?? "errno \(code)"
}

/// Name and sentence: "ENOENT (No such file or directory)".
func errnoText(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return errnoName(code) }
    let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return "\(errnoName(code)) (\(String(decoding: text, as: UTF8.self)))"
}

/// What opening files, making pipes and starting programs can answer.
private let names: [Int32: String] = [
    E2BIG: "E2BIG", EACCES: "EACCES", EAGAIN: "EAGAIN", EBADF: "EBADF", EBUSY: "EBUSY", EEXIST: "EEXIST",
    EFBIG: "EFBIG", EINVAL: "EINVAL", EIO: "EIO", EISDIR: "EISDIR", ELIBBAD: "ELIBBAD", ELOOP: "ELOOP",
    EMFILE: "EMFILE", ENAMETOOLONG: "ENAMETOOLONG", ENFILE: "ENFILE", ENODEV: "ENODEV", ENOENT: "ENOENT",
    ENOEXEC: "ENOEXEC", ENOMEM: "ENOMEM", ENOSPC: "ENOSPC", ENOSYS: "ENOSYS", ENOTDIR: "ENOTDIR",
    ENOTEMPTY: "ENOTEMPTY", ENXIO: "ENXIO", EPERM: "EPERM", EROFS: "EROFS", ESTALE: "ESTALE", ETXTBSY: "ETXTBSY",
    EDQUOT: "EDQUOT", ETIMEDOUT: "ETIMEDOUT",
]
