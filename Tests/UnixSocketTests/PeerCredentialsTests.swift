import Glibc
import TestSupport
import Testing

@testable import RxLoop
@testable import UnixSocket

/// The groups of this process, as the kernel would report them.
private func ownGroups() -> [gid_t] {
    var groups = [gid_t](repeating: 0, count: Int(getgroups(0, nil)))
    let count = getgroups(Int32(groups.count), &groups)
    return Array(groups.prefix(Int(count)))
}

@Suite("PeerCredentials", .ownThreads)
struct PeerCredentialsTests {
    @Test("a peer in this process is this process")
    func own() throws {
        let wire = try Wire(on: EventLoop())
        let peer = try #require(wire.socket.peer)
        #expect(peer == PeerCredentials(uid: getuid(), gid: getgid(), pid: getpid(), groups: ownGroups()))
        #expect(peer.isMember(of: getgid()))
        #expect(!peer.isMember(of: 4_294_967_294))
    }

    @Test("more groups than fit at first are all reported", .enabled(if: geteuid() == 0, "setgroups needs root"))
    func manyGroups() async {
        await #expect(processExitsWith: .success) {
            let groups = (1000..<1500).map { gid_t($0) }
            precondition(setgroups(groups.count, groups) == 0)
            let wire = try Wire(on: EventLoop())
            precondition(wire.socket.peer?.groups == groups)
            precondition(wire.socket.peer?.isMember(of: 1499) == true)
        }
    }

    @Test("a socket of another family has no peer that the kernel knows")
    func otherFamily() throws {
        let (client, server) = try loopback()
        let socket = try Socket(adopting: server, loop: EventLoop())
        #expect(socket.peer == nil)
        socket.close()
        client.close()
    }

    private func loopback() throws -> (Peer, Int32) {
        let listener = Peer(fd: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        let client = Peer(fd: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                try #require(bind(listener.fd, generic, size) == 0)
                try #require(listen(listener.fd, 1) == 0)
                try #require(getsockname(listener.fd, generic, &size) == 0)
                try #require(connect(client.fd, generic, size) == 0)
            }
        }
        return (client, accept(listener.fd, nil, nil))
    }
}
