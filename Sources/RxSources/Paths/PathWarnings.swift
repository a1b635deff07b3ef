internal import CEpoll
internal import Glibc

extension PathOptions {
    /// What may surprise the administrator about the root, in sentences for `--check`: a network file system, a
    /// directory that is the service's own, a directory that the process cannot read.
    public var warnings: [String] {
        var warnings: [String] = []
        if ["/tmp", "/var/tmp"].contains(where: { root == $0 || root.hasPrefix($0 + "/") }) {
            warnings.append(
                "\(root) is the service's own directory, because rxd.service has PrivateTmp; files of others do not "
                    + "appear there")
        }
        let path = RawPath(root)
        let system = path.withPointer { cepoll_file_system($0) }
        if let name = FileSystemKind.networks[system] {
            warnings.append(
                "\(root) is on a network file system (\(name)); changes by other machines are not reported, and are "
                    + "found only by the scan at the next start")
        }
        if system >= 0 || system == -Int64(EACCES), path.withPointer({ access($0, R_OK | X_OK) }) != 0, errno == EACCES
        {
            warnings.append(
                "\(root) cannot be read; grant the user of the daemon the permissions to read and enter it")
        }
        return warnings
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
