internal import Glibc

/// How many files the process may have open at the same time, sockets and pipes included: RLIMIT_NOFILE.
public enum OpenFileLimit {
    /// Raises the limit to `wanted`, as far as the system lets the process do that. Programs that the process starts
    /// inherit it.
    ///
    /// - Returns: the limit now.
    public static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        let soft = limit.rlim_cur
        limit.rlim_cur = max(soft, min(rlim_t(wanted), limit.rlim_max))
        guard limit.rlim_cur > soft, setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 else {
            return Int(clamping: limit.rlim_cur)
        }
        return Int(clamping: soft)
    }
}
