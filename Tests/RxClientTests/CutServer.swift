import Glibc
import Logging
import RxHost
import RxJSON
import RxServer
import Synchronization
import RxLoop
import UnixSocket

/// A real server behind a line that is cut each time a number of lines has come over it.
// @unchecked Sendable: but for `cuts`, all state belongs to the loop's thread.
final class CutServer: @unchecked Sendable {
    let path: String
    private let directory: String
    private let loop: EventLoop
    private var host: Host?
    private var server: Server?
    private var serverListener: Listener?
    private var lineListener: Listener?
    private var lines: [Line] = []
    /// Lines to the client until the next cut; nil: none any more.
    private var nextCut: () -> Int?
    private let made = Mutex(0)

    /// How often the line was cut.
    var cuts: Int { made.withLock { $0 } }

    init(cutAfter nextCut: @escaping () -> Int?) throws {
        var template = Array("/tmp/rx-client-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = directory + "/line.sock"
        loop = try EventLoop()
        self.nextCut = nextCut
        try start()
        let listener = try Listener(binding: path, loop: loop)
        lineListener = listener
        listener.onAccept = { [unowned self] in accept($0) }
        loop.start(name: "cut-server")
    }

    private func start() throws {
        let host = Host([Builtin.ticks.definition(name: "ticks"), Builtin.echo.definition(name: "echo")])
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = Server(host: host, loop: loop, rights: Rights(owner: getuid()), logger: logger)
        let listener = try Listener(binding: directory + "/rxd.sock", loop: loop)
        listener.onAccept = { server.accept($0) }
        (self.host, self.server, serverListener) = (host, server, listener)
    }

    private func accept(_ client: Socket) {
        guard let server = try? Socket.connect(path: directory + "/rxd.sock", loop: loop) else { return client.close() }
        lines.append(
            Line(client, server, until: nextCut()) { [unowned self] in
                made.withLock { $0 += 1 }
            })
    }

    /// Ends the server as a daemon ends, and starts another one in its place, with an epoch of its own.
    func restart() async throws {
        try await withCheckedThrowingContinuation { continuation in
            loop.execute { [self] in
                serverListener?.close(unlink: true)
                stopServing {
                    continuation.resume(with: Result { try self.start() })
                }
            }
        }
    }

    private func stopServing(_ completion: @escaping () -> Void) {
        guard let host, let server else { return completion() }
        let done = OnLoop(completion)
        host.stop { [loop] in
            loop.execute { server.stop { done.body() } }
        }
    }

    func stop() async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                for listener in [lineListener, serverListener] { listener?.close(unlink: true) }
                for line in lines { line.cut() }
                stopServing { continuation.resume() }
            }
        }
        loop.stop()
        loop.join()
        rmdir(directory)
    }

    // @unchecked Sendable: made and called on the loop's thread.
    private struct OnLoop: @unchecked Sendable {
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// One client's connection and the one to the server that belongs to it.
    private final class Line: SocketDelegate {
        private let client: Socket
        private let server: Socket
        private var left: Int?
        private var unsent: [ObjectIdentifier: [UInt8]] = [:]
        private let onCut: () -> Void

        init(_ client: Socket, _ server: Socket, until cut: Int?, onCut: @escaping () -> Void) {
            (self.client, self.server, left, self.onCut) = (client, server, cut, onCut)
            for socket in [client, server] {
                socket.lineLimit = 16 << 20
                socket.delegate = self
            }
        }

        func cut() {
            client.close()
            server.close()
        }

        func socket(_ socket: Socket, didReceive line: UnsafeRawBufferPointer) {
            let other = socket === client ? server : client
            unsent[ObjectIdentifier(other), default: []] += Array(line) + [UInt8(ascii: "\n")]
            socketDidBecomeWritable(other)
            guard other === client, let left else { return }
            self.left = left - 1
            if left == 1 {
                onCut()
                cut()
            }
        }

        func socketDidBecomeWritable(_ socket: Socket) {
            var bytes = unsent[ObjectIdentifier(socket)] ?? []
            while !bytes.isEmpty, case let count = bytes.withUnsafeBytes(socket.write), count > 0 {
                bytes.removeFirst(count)
            }
            unsent[ObjectIdentifier(socket)] = bytes
            socket.wantsWritable = !bytes.isEmpty
        }

        func socketLineTooLong(_ socket: Socket) {}
        func socketDidEndInput(_ socket: Socket) { cut() }
        func socketDidClose(_ socket: Socket, error: SocketError?) { cut() }
    }
}

/// Gives `body` a server whose lines are cut, and cleans up after it.
func withCutServer(
    cutAfter nextCut: @escaping () -> Int? = { nil }, _ body: (CutServer) async throws -> Void
) async throws {
    let server = try CutServer(cutAfter: nextCut)
    do {
        try await body(server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}
