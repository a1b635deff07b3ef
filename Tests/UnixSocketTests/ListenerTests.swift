import Glibc
import TestSupport
import Testing

@testable import RxLoop
@testable import UnixSocket

@Suite("Listener", .ownThreads)
struct ListenerTests {
    private let loop: EventLoop
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/rxd.sock" }

    init() throws {
        loop = try EventLoop()
        directory = try TemporaryDirectory()
    }

    @Test("clients are accepted once somebody takes them, and those who came before are not lost")
    func accepting() throws {
        let listener = try Listener(binding: path, loop: loop)
        let early = try Peer(connectingTo: path)
        loop.turn()
        var accepted: [Socket] = []
        listener.onAccept = { accepted.append($0) }
        loop.turn()
        #expect(accepted.count == 1)
        #expect(accepted.first?.peer?.pid == getpid())
        early.close()
        listener.close(unlink: true)
    }

    @Test("a paused listener leaves clients waiting, and takes them when resumed")
    func pausing() throws {
        let listener = try Listener(binding: path, loop: loop)
        var accepted: [Socket] = []
        listener.onAccept = {
            accepted.append($0)
            listener.pause()
        }
        let clients = try (0..<2).map { _ in try Peer(connectingTo: path) }
        for _ in 0..<3 { loop.turn() }
        #expect(accepted.count == 1)
        listener.resume()
        loop.turn()
        #expect(accepted.count == 2)
        for client in clients { client.close() }
        listener.close(unlink: true)
    }

    @Test("a flood of clients is accepted over several turns")
    func boundedAccepts() throws {
        let listener = try Listener(binding: path, loop: loop)
        var accepted: [Socket] = []
        listener.onAccept = { accepted.append($0) }
        let clients = try (0..<100).map { _ in try Peer(connectingTo: path) }
        loop.turn()
        #expect((1..<100).contains(accepted.count))
        #expect(loop.turn(until: { accepted.count == 100 }))
        for client in clients { client.close() }
        listener.close(unlink: true)
    }

    @Test("a closed listener may be closed from within an accept, and takes nobody else")
    func closeInside() throws {
        let listener = try Listener(binding: path, loop: loop)
        var accepted: [Socket] = []
        listener.onAccept = {
            accepted.append($0)
            listener.close(unlink: true)
        }
        let clients = try (0..<2).map { _ in try Peer(connectingTo: path) }
        loop.turn()
        loop.turn()
        #expect(accepted.count == 1)
        #expect(directory.contents.isEmpty)
        #expect(clients.count == 2)
    }

    // MARK: Adopting

    @Test("a listening socket is adopted, with its path and its clients, and left in place when closed")
    func adopting() throws {
        let fd = try SocketPath.makeSocket()
        try #require(try SocketPath(path).bind(fd) == 0)
        try #require(listen(fd, 5) == 0)
        try #require(fcntl(fd, F_SETFD, 0) == 0 && fcntl(fd, F_SETFL, 0) == 0, "as systemd may pass it")
        let listener = try Listener(adopting: fd, loop: loop)
        #expect(listener.path == path)
        #expect(fcntl(fd, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(fd, F_GETFL) & O_NONBLOCK != 0)
        var accepted: [Socket] = []
        listener.onAccept = { accepted.append($0) }
        let client = try Peer(connectingTo: path)
        loop.turn()
        #expect(accepted.count == 1)
        client.close()
        listener.close(unlink: true)
        #expect(directory.contents == ["rxd.sock"], "the path is not the listener's")
    }

    @Test("what is no listening Unix stream socket is refused, with the reason, and stays the caller's")
    func notAListener() throws {
        let stream = Int32(SOCK_STREAM.rawValue)
        let cases: [(Int32, String)] = [
            (open("/dev/null", O_RDONLY), "not a socket"),
            (Glibc.socket(AF_INET, stream, 0), "another family than AF_UNIX"),
            (Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0), "not of type SOCK_STREAM"),
            (Glibc.socket(AF_UNIX, stream, 0), "not listening"),
        ]
        for (fd, found) in cases {
            #expect(throws: SocketError.notAListener(fd: fd, found: found)) { try Listener(adopting: fd, loop: loop) }
            #expect(close(fd) == 0)
        }
        #expect(throws: SocketError.notAListener(fd: -1, found: "not open")) { try Listener(adopting: -1, loop: loop) }
    }

    // MARK: Running out of descriptors

    @Test("with no descriptor left a client is closed at once, others are served on, and the loop does not spin")
    func outOfDescriptors() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/s"
            let listener = try Listener(binding: path, loop: loop)
            let echo = Recorder()
            var (accepted, errors) = ([Socket](), [SocketError]())
            echo.onLine = { socket, line in _ = "\(line)\n".withBytes(socket.write) }
            listener.onAccept = {
                accepted.append($0)
                $0.delegate = echo
            }
            listener.onError = { errors.append($0) }
            let first = try Peer(connectingTo: path)
            precondition(loop.turn(until: { accepted.count == 1 }))

            // The next descriptor is the last one, and the client itself takes it.
            let probe = open("/dev/null", O_RDONLY)
            close(probe)
            var limit = rlimit(rlim_cur: rlim_t(probe) + 1, rlim_max: rlim_t(probe) + 1)
            precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let second = try Peer(connectingTo: path)
            precondition(loop.turn(until: { !errors.isEmpty }))
            precondition(errors == [.system(call: "accept4", errno: EMFILE)], "\(errors)")
            precondition(second.receive() == nil, "closed, not left waiting")

            first.send("still here\n")
            precondition(loop.turn(until: { first.receive() == Array("still here\n".utf8) }))
            precondition(loop.sleeps() && errors.count == 1)

            // A descriptor comes free: the next client is served.
            first.close()
            precondition(loop.turn(until: { accepted[0].isClosed }))
            second.close()
            let third = try Peer(connectingTo: path)
            third.send("welcome\n")
            precondition(loop.turn(until: { third.receive() == Array("welcome\n".utf8) }))
            listener.close(unlink: true)
        }
    }

    @Test("without even a spare descriptor the listener rests, then serves those who waited")
    func resting() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/s"
            let first = try Peer(fd: SocketPath.makeSocket())
            var limit = rlimit()
            precondition(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let generous = limit
            let fd = try SocketPath.makeSocket()
            let address = try SocketPath(path)
            precondition(address.bind(fd) == 0 && listen(fd, 5) == 0)
            // Below every number that can come free: no descriptor at all, a spare one neither.
            limit.rlim_cur = 3
            precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let listener = try Listener(adopting: fd, loop: loop)
            var (accepted, errors) = ([Socket](), [SocketError]())
            listener.onAccept = { accepted.append($0) }
            listener.onError = { errors.append($0) }
            precondition(address.connect(first.fd) == 0)
            precondition(loop.turn(until: { !errors.isEmpty }))
            precondition(loop.sleeps() && errors.count == 1, "rests")
            limit = generous
            precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            precondition(loop.turn(until: { accepted.count == 1 }), "the client that waited")
            listener.close(unlink: false)
        }
    }
}
