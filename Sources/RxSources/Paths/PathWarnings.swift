internal import CEpoll

/// What may surprise the administrator about a path, in sentences: a network file system, a directory that is the
/// service's own, a file or directory that the daemon cannot read.
struct PathWarnings {
    let texts: [String]

    init(_ path: String, isDirectory: Bool, _ reader: FileReader = .process) {
        var texts: [String] = []
        if ["/tmp", "/var/tmp"].contains(where: { path == $0 || path.hasPrefix($0 + "/") }) {
            texts.append(
                "\(path) is in a directory of the service's own, because rxd.service has PrivateTmp; files of others "
                    + "do not appear there")
        }
        let raw = RawPath(path)
        if let name = FileSystemKind.networks[raw.withPointer({ cepoll_file_system($0) })] {
            let remedy = isDirectory ? "are found only by the scan at the next start" : "are found late"
            texts.append(
                "\(path) is on a network file system (\(name)); changes by other machines are not reported, and "
                    + remedy)
        }
        if reader.isForbidden(raw, isDirectory: isDirectory) {
            texts.append(
                "\(path) cannot be read; grant \(reader.text) "
                    + (isDirectory ? "the permissions to read and enter it" : "the permission to read it"))
        }
        self.texts = texts
    }
}

/// Kinds of file systems: f_type of statfs(2).
private enum FileSystemKind {
    static let networks: [Int64: String] = [
        0x6969: "nfs", 0x517B: "smb", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb2", 0x0102_1997: "9p",
        0x00C3_6400: "ceph", 0x5346_414F: "afs", 0x7375_7245: "coda", 0x564C: "ncp", 0x6573_5546: "fuse",
        0x0BD0_0BD0: "lustre", 0x0116_1970: "gfs2", 0x7461_636F: "ocfs2", 0x786F_4256: "vboxsf",
    ]
}
