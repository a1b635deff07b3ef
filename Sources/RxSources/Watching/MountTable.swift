internal import Glibc

/// What is mounted where, from /proc/self/mountinfo: so that the kind of a file system is known without asking it,
/// which may take forever if it is on a network.
package struct MountTable: Sendable {
    /// Links of a path, as in the kernel.
    private static let mostLinks = 40
    /// The file systems of other machines, and autofs, which mounts one at the first use.
    private static let remoteKinds: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "coda", "ncpfs", "fuse", "lustre", "gfs2", "ocfs2",
        "vboxsf", "autofs",
    ]

    /// Where systemd has mounted a directory of the service's own: PrivateTmp.
    private var privateDirectories: Set<[UInt8]> = []
    /// Kinds of file systems by their mount points. Of several at one point, the last one is visible.
    private var kinds: [[UInt8]: String] = [:]
    /// What a name is linked to; nil if it is no link.
    private let link: @Sendable (RawPath) -> [UInt8]?

    /// The mounts of this process.
    package init() {
        var text: [UInt8] = []
        if let file = try? SystemFile(RawPath("/proc/self/mountinfo")) {
            var block = [UInt8](repeating: 0, count: 65_536)
            while let count = try? file.read(at: Int64(text.count), into: &block, 0..<block.count), count > 0 {
                text += block[..<count]
            }
        }
        self.init(text) { Self.readLink($0) }
    }

    /// - Parameters:
    ///   - text: see proc_pid_mountinfo(5).
    ///   - link: reads a symbolic link, which is on no remote file system.
    init(_ text: [UInt8], link: @escaping @Sendable (RawPath) -> [UInt8]?) {
        self.link = link
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count > 6, let separator = fields.firstIndex(of: [UInt8(ascii: "-")]),
                separator + 1 < fields.count
            else { continue }
            let mountPoint = Self.unescaped(fields[4])
            kinds[mountPoint] = String(decoding: fields[separator + 1], as: UTF8.self)
            if String(decoding: fields[3], as: UTF8.self).contains("/systemd-private-") {
                privateDirectories.insert(mountPoint)
            } else {
                privateDirectories.remove(mountPoint)
            }
        }
    }

    var isEmpty: Bool { kinds.isEmpty }

    /// Whether systemd has given this process a directory of its own in the place of one of the machine.
    func isPrivate(_ directory: String) -> Bool { privateDirectories.contains(Array(directory.utf8)) }

    /// Whether a path leads to a file system in memory, also if there is nothing there yet; nil if that is not known.
    package func isInMemory(_ path: String) -> Bool? {
        kind(of: RawPath(path)).map { $0 == "tmpfs" || $0 == "ramfs" }
    }

    /// The kind of the remote file system that a path leads to; nil if it leads to none. Looks at nothing on one.
    func remoteKind(of path: RawPath) -> String? { kind(of: path).flatMap { Self.isRemote($0) ? $0 : nil } }

    /// The kind of the file system that a path leads to, or of the first remote one on the way.
    private func kind(of path: RawPath) -> String? {
        var rest = Array(path.bytes.split(separator: UInt8(ascii: "/")).reversed())
        var resolved = RawPath("/")
        var links = 0
        while let name = rest.popLast() {
            if name.elementsEqual(".".utf8) { continue }
            let next = name.elementsEqual("..".utf8) ? resolved.parent : resolved.appending(component: name)
            // If the root directory is on one, there is nothing to be careful with.
            if next.count > 1, let kind = kinds[Array(next.bytes)], Self.isRemote(kind) { return kind }
            guard links < Self.mostLinks, let target = link(next) else {
                resolved = next
                continue
            }
            links += 1
            if target.first == UInt8(ascii: "/") { resolved = RawPath("/") }
            rest += target.split(separator: UInt8(ascii: "/")).reversed()
        }
        while resolved.count > 1, kinds[Array(resolved.bytes)] == nil { resolved = resolved.parent }
        return kinds[Array(resolved.bytes)]
    }

    private static func isRemote(_ kind: String) -> Bool { remoteKinds.contains(kind) || kind.hasPrefix("fuse.") }

    private static func readLink(_ path: RawPath) -> [UInt8]? {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = path.withPointer { path in
            target.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
        }
        return count < 0 ? nil : Array(target[..<count])
    }

    /// Space, tab, newline, and backslash are written as a backslash and three octal digits.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), rest.count >= 3,
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            else {
                result.append(byte)
                continue
            }
            result.append(code)
            rest = rest.dropFirst(3)
        }
        return result
    }
}
