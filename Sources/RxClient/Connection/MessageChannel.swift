internal import Glibc
internal import JSONRPC
internal import RxJSON
internal import RxLoop
internal import RxProtocol
internal import UnixSocket

/// JSON-RPC messages over a Unix socket, one per line; on its loop's thread only.
final class MessageChannel {
    /// An event wraps an element in this many levels; a reply adds fewer.
    private static let wrapping = 8

    private enum State {
        case open(Socket)
        case closed
    }

    /// Called for each message, in order. The message is valid during the call.
    var onMessage: (Incoming) -> Void = { _ in }
    /// Called once when the socket is closed by anything but `close()`.
    var onClose: (ClientError) -> Void = { _ in }

    private let limits = Limits()
    private let reader: MessageReader
    private var state: State
    private var unsent = SendBuffer()

    /// Connects to the socket at `path`; throws `.unreachable`.
    init(path: String, loop: EventLoop) throws(ClientError) {
        let socket: Socket
        do {
            socket = try Socket.connect(path: path, loop: loop)
        } catch {
            throw .unreachable(path: path, errno: error.errno ?? ENAMETOOLONG)
        }
        reader = MessageReader(
            limits: JSONLimits(bytes: Connection.longestLine, depth: limits.depth + MessageChannel.wrapping),
            batch: limits.batch)
        state = .open(socket)
        socket.lineLimit = Connection.longestLine
        // A daemon that is killed while it writes leaves a part of a line.
        socket.receivesUnterminatedLine = false
        socket.delegate = self
    }

    /// Sends a request. Throws `.tooLarge` or `.congested` without sending anything; does nothing once closed.
    func send(_ id: RequestID, _ method: String, _ params: RawJSON?) throws(ClientError) {
        guard case .open(let socket) = state else { return }
        var writer = JSONWriter()
        MessageWriter.request(id, method, params: params, into: &writer)
        guard writer.bytes.count <= limits.lineBytes else {
            throw .tooLarge(bytes: writer.bytes.count, limit: limits.lineBytes)
        }
        guard unsent.count <= Connection.mostUnsentBytes else { throw .congested(unsentBytes: unsent.count) }
        writer.bytes.append(UInt8(ascii: "\n"))
        unsent.append(writer.bytes)
        flush(socket)
    }

    func pauseReading() {
        if case .open(let socket) = state { socket.pauseReading() }
    }

    func resumeReading() {
        if case .open(let socket) = state { socket.resumeReading() }
    }

    /// Closes the socket; neither `onMessage` nor `onClose` is called afterwards.
    func close() {
        guard case .open(let socket) = state else { return }
        state = .closed
        socket.delegate = nil
        socket.close()
    }

    private func flush(_ socket: Socket) {
        unsent.send(to: socket)
        socket.wantsWritable = !unsent.isEmpty
    }

    private func close(because reason: ClientError) {
        close()
        onClose(reason)
    }
}

extension MessageChannel: SocketDelegate {
    func socket(_ socket: Socket, didReceive line: UnsafeRawBufferPointer) {
        onMessage(reader.read(line))
    }

    func socketLineTooLong(_ socket: Socket) {
        close(because: .protocolViolation("a line of more than \(Connection.longestLine) bytes"))
    }

    func socketDidEndInput(_ socket: Socket) {
        close(because: .closed(errno: 0))
    }

    func socketDidBecomeWritable(_ socket: Socket) {
        flush(socket)
    }

    func socketDidClose(_ socket: Socket, error: SocketError?) {
        close(because: .closed(errno: error?.errno ?? 0))
    }
}
