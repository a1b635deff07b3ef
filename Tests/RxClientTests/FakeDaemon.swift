import Glibc
import RxJSON
import Synchronization
import Testing
import RxLoop
import UnixSocket

/// A daemon that a test controls: `script` is called on its loop for every line that comes in.
final class FakeDaemon: @unchecked Sendable {
    /// What was asked.
    struct Request: Sendable {
        let id: String
        let method: String
        let params: JSONValue

        /// The stream it opens, if it does.
        var stream: String { params["subscription"]?.string ?? params["stream"]?.string ?? "" }
    }

    let path: String
    private let loop: EventLoop
    // On the loop's thread only, like the peers.
    private var listener: Listener?
    private var peers: [Peer] = []
    private let script: @Sendable (Request, Peer) -> Void
    private let log = Mutex<[Request]>([])

    init(_ script: @escaping @Sendable (Request, Peer) -> Void) throws {
        var template = Array("/tmp/rx-client-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) + "/rxd.sock"
        self.script = script
        loop = try EventLoop()
        try listen()
        loop.start(name: "fake-daemon")
    }

    private func listen() throws {
        let listener = try Listener(binding: path, loop: loop)
        self.listener = listener
        listener.onAccept = { [unowned self] socket in
            peers.append(
                Peer(socket) { [unowned self] request, peer in
                    log.withLock { $0.append(request) }
                    script(request, peer)
                })
        }
    }

    /// Everything asked so far.
    var requests: [Request] { log.withLock { $0 } }

    /// Closes all connections, as a daemon that dies.
    func vanish() {
        loop.execute { [self] in
            peers.forEach { $0.close() }
            peers = []
        }
    }

    /// Takes no connections, as a daemon that is not there, until `comeBack`.
    func goAway() {
        loop.execute { [self] in
            listener?.close(unlink: true)
            listener = nil
            peers.forEach { $0.close() }
            peers = []
        }
    }

    func comeBack() {
        loop.execute { [self] in
            do { try listen() } catch { Issue.record(error) }
        }
    }

    func stop() {
        loop.execute { [self] in
            peers.forEach { $0.close() }
            peers = []
            listener?.close(unlink: true)
            listener = nil
        }
        loop.stop()
        loop.join()
        unlink(path)
        rmdir(String(path.dropLast("/rxd.sock".count)))
    }

    /// One client.
    final class Peer: SocketDelegate, @unchecked Sendable {
        private let socket: Socket
        private let receive: (Request, Peer) -> Void
        private var unsent: [UInt8] = []

        init(_ socket: Socket, _ receive: @escaping (Request, Peer) -> Void) {
            self.socket = socket
            self.receive = receive
            socket.lineLimit = 16 << 20
            socket.delegate = self
        }

        func send(_ line: String) {
            unsent.append(contentsOf: (line + "\n").utf8)
            flush()
        }

        func answer(_ request: Request, _ result: String) {
            send(#"{"jsonrpc":"2.0","id":\#(request.id),"result":\#(result)}"#)
        }

        func event(_ stream: String, _ sequence: Int, _ rest: String) {
            send(
                #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"\#(stream)","seq":\#(sequence),"#
                    + #""cursor":"e:\#(sequence)",\#(rest)}}"#)
        }

        func refuse(_ request: Request, _ code: Int, _ name: String, _ facts: String = "") {
            send(
                #"{"jsonrpc":"2.0","id":\#(request.id),"error":{"code":\#(code),"message":"no: \#(name)","#
                    + #""data":{"name":"\#(name)"\#(facts)}}}"#)
        }

        /// The answer to `subscribe`: the stream stands at `e:cursor`.
        func open(_ request: Request, at cursor: Int, snapshot: String = #"{"actions":{}}"#) {
            answer(
                request, #"{"subscription":"\#(request.stream)","cursor":"e:\#(cursor)","snapshot":\#(snapshot)}"#)
        }

        func end(_ stream: String, _ sequence: Int) {
            event(stream, sequence, #""channel":"end","value":{"reason":"completed"}"#)
        }

        func stopReading() {
            socket.pauseReading()
        }

        func close() {
            socket.close()
        }

        /// Closes the connection as a daemon that is killed while it writes.
        func close(within line: String) {
            unsent.append(contentsOf: line.utf8)
            flush()
            close()
        }

        private func flush() {
            while !unsent.isEmpty, case let count = unsent.withUnsafeBytes(socket.write), count > 0 {
                unsent.removeFirst(count)
            }
            socket.wantsWritable = !unsent.isEmpty
        }

        func socket(_ socket: Socket, didReceive line: UnsafeRawBufferPointer) {
            guard let message = try? RawJSON(validating: Array(line)).value() else { return }
            let request = Request(
                id: message["id"].map { RawJSON($0).text } ?? "null", method: message["method"]?.string ?? "",
                params: message["params"] ?? .null)
            receive(request, self)
        }

        func socketLineTooLong(_ socket: Socket) {}
        func socketDidEndInput(_ socket: Socket) { socket.close() }
        func socketDidBecomeWritable(_ socket: Socket) { flush() }
        func socketDidClose(_ socket: Socket, error: SocketError?) {}
    }
}

/// Gives `body` a client connected to a daemon with this script, and cleans up after it.
func withFakeDaemon(
    _ script: @escaping @Sendable (FakeDaemon.Request, FakeDaemon.Peer) -> Void,
    _ body: (FakeDaemon) async throws -> Void
) async throws {
    let daemon = try FakeDaemon(script)
    defer { daemon.stop() }
    try await body(daemon)
}
