import Glibc
import Testing

@testable import UnixSocket

@Suite("SocketError")
struct SocketErrorTests {
    @Test("an error states what failed, where and why")
    func description() {
        #expect("\(SocketError.system(call: "send", errno: EPIPE))" == "send: Broken pipe")
        #expect(
            "\(SocketError.file(call: "connect", path: "/s", errno: ENOENT))"
                == "/s: connect: No such file or directory")
        #expect(
            "\(SocketError.pathTooLong(path: "/long", limit: 3))" == "/long: too long for a socket (5 bytes, at most 3)"
        )
        #expect("\(SocketError.inUse(path: "/s"))" == "/s: in use by another process")
        #expect("\(SocketError.notASocket(path: "/s"))" == "/s: exists and is not a socket")
        #expect(
            "\(SocketError.notAListener(fd: 3, found: "not open"))"
                == "descriptor 3 is not a listening Unix stream socket: not open")
    }

    @Test("the facts are there without parsing")
    func facts() {
        #expect(SocketError.file(call: "connect", path: "/s", errno: ENOENT).errno == ENOENT)
        #expect(SocketError.file(call: "connect", path: "/s", errno: ENOENT).path == "/s")
        #expect(SocketError.inUse(path: "/s").errno == nil)
        #expect(SocketError.system(call: "send", errno: EPIPE).isPeerGone)
        #expect(!SocketError.system(call: "send", errno: ENOMEM).isPeerGone)
    }
}
