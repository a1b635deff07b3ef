import Testing

@testable import RxSources

@Suite("A table of mounts")
struct MountTableTests {
    private static let text = """
        1 0 8:1 / / rw - ext4 /dev/sda1 rw
        2 1 0:5 / /mnt/a\\040b rw shared:7 master:1 - nfs4 server:/x rw
        3 1 0:6 / /home rw - autofs systemd-1 rw
        4 3 0:7 / /home rw - nfs server:/home rw
        5 1 0:8 / /media/key rw - fuse.sshfs me@there rw
        6 1 0:9 / /media/disk rw - fuseblk /dev/sdb1 rw
        7 1 0:9 / /net rw - autofs auto rw
        broken

        """

    private final class Looks: @unchecked Sendable {
        // Sendable: one thread uses it.
        var paths: [String] = []
    }

    private let looks = Looks()

    private func kind(_ path: String, _ links: [String: String] = [:]) -> String? {
        MountTable(Array(Self.text.utf8)) { [looks] path in
            looks.paths.append(path.text)
            return links[path.text].map { Array($0.utf8) }
        }.remoteKind(of: RawPath(path))
    }

    @Test("has the kinds of file systems of other machines, by the paths on them")
    func kinds() {
        #expect(kind("/mnt/a b/c") == "nfs4")
        #expect(kind("/mnt/a b") == "nfs4")
        #expect(kind("/mnt/a") == nil)
        #expect(kind("/home/me") == "nfs")
        #expect(kind("/media/key") == "fuse.sshfs")
        #expect(kind("/media/disk/x") == nil)
        #expect(kind("/net/x") == "autofs")
        #expect(kind("/") == nil)
    }

    @Test("has what is in memory, also what does not exist yet; without a table, nothing is known")
    func memory() {
        let text = """
            1 0 8:1 / / rw - ext4 /dev/sda1 rw
            2 1 0:5 / /run rw - tmpfs tmpfs rw
            """
        let table = MountTable(Array(text.utf8)) { $0.text == "/var/run" ? Array("../run".utf8) : nil }
        #expect(["/run/rxd/inputs", "/var/run/x", "/run"].allSatisfy { table.isInMemory($0) == true })
        #expect(["/var/lib/rxd/inputs", "/", "/runs"].allSatisfy { table.isInMemory($0) == false })
        #expect(MountTable([]) { _ in nil }.isInMemory("/run") == nil)
    }

    @Test("follows links, and looks at nothing on another machine")
    func links() {
        let links = ["/var/log": "/srv/log", "/srv/log": "../home/log", "/a": "b/../c", "/loop": "loop"]
        #expect(kind("/var/log/x", links) == "nfs")
        #expect(looks.paths.contains { $0.hasPrefix("/home") } == false)
        #expect(kind("/a/x", links) == nil)
        #expect(kind("/loop/x", links) == nil)
    }

    @Test("has a disk of this machine below a root directory of another one")
    func root() {
        let text = "1 0 0:1 / / rw - nfs4 server:/ rw\n2 1 8:1 / /var rw - ext4 /dev/sda1 rw\n"
        let table = MountTable(Array(text.utf8)) { _ in nil }
        #expect(table.remoteKind(of: RawPath("/usr/x")) == "nfs4")
        #expect(table.remoteKind(of: RawPath("/var/x")) == nil)
    }

    @Test("is read from the kernel")
    func current() {
        #expect(MountTable().remoteKind(of: RawPath("/proc/self/mountinfo")) == nil)
        #expect(!MountTable().isEmpty)
    }
}
