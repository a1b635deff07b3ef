internal import UnixSocket

/// Hands a socket's callbacks to its connection, for as long as the socket is open.
///
/// An object of its own because a socket knows its delegate weakly: whatever is ever referenced weakly is retained and
/// released the slow way, and a connection is retained many times in a request.
final class SocketReceiver: SocketDelegate {
    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    func socket(_ socket: Socket, didReceive line: UnsafeRawBufferPointer) { connection.receive(line) }

    func socketLineTooLong(_ socket: Socket) { connection.receiveTooLongLine() }

    func socketDidEndInput(_ socket: Socket) { connection.receiveEnd() }

    func socketDidBecomeWritable(_ socket: Socket) { connection.flush() }

    func socketDidClose(_ socket: Socket, error: SocketError?) {
        connection.receiver = nil
        connection.didClose()
    }
}
