/// What may surprise the administrator about a path, in sentences: a network file system, a directory that is the
/// service's own, a file or directory that the daemon cannot read, or that is not there.
///
/// Without a reader, the path is not looked at: a file system whose server is gone would hold up the caller.
struct PathWarnings {
    let texts: [String]

    /// - Parameters:
    ///   - reader: who will read the path; nil if that is not to be checked.
    ///   - isOfService: whether the path is for rxd.service, whatever process checks it.
    init(_ path: String, isDirectory: Bool, _ reader: FileReader?, isOfService: Bool, mounts: MountTable) {
        var texts: [String] = []
        let shared = ["/tmp", "/var/tmp"].first { path == $0 || path.hasPrefix($0 + "/") }
        if let shared, isOfService || mounts.isPrivate(shared) {
            texts.append(
                "\(path) is in a directory of the service's own, because rxd.service has PrivateTmp; files of others "
                    + "do not appear there")
        }
        let raw = RawPath(path)
        // What autofs mounts may be a disk of the machine.
        if let name = mounts.remoteKind(of: raw), name != "autofs" {
            let remedy = isDirectory ? "are found only by the scan at the next start" : "are found late"
            texts.append(
                "\(path) is on a network file system (\(name)); changes by other machines are not reported, and "
                    + remedy)
        }
        if isDirectory, let reader, reader.isOtherThanDirectory(raw) {
            texts.append(WatchReason.noDirectory(raw))
        } else if let reader, reader.isForbidden(raw, isDirectory: isDirectory) {
            texts.append(
                "\(path) cannot be read; grant \(reader.text) "
                    + (isDirectory ? "the permissions to read and enter it" : "the permission to read it"))
        }
        // What is in a directory of the service's own is not seen here.
        if texts.isEmpty, let reader, reader.isMissing(raw) {
            texts.append("\(path) does not exist; the stream emits nothing until it does")
        }
        self.texts = texts
    }
}
