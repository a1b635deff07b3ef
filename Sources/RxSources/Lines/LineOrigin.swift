internal import Glibc
internal import RxJSON

/// The position at which a first start begins, taken before the source starts: where the log ends now.
enum LineOrigin {
    /// Nil if the log cannot be read, or is on another machine, whose disk may take forever. Of a missing log, it is
    /// one before everything.
    static func position(of path: RawPath, mounts: MountTable) -> RawJSON? {
        guard mounts.remoteKind(of: path) == nil else { return nil }
        do throws(FileError) {
            guard try FileStatus(of: path, following: true).kind == .file else { return nil }
            let tail = try LineTail(try SystemFile(path), from: 0)
            try tail.seekToEnd()
            return tail.position.json
        } catch {
            return error.errno == ENOENT ? LinePosition.nothing.json : nil
        }
    }
}
