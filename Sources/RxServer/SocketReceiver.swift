internal import UnixSocket

/// Passes a socket's callbacks to its connection while the socket is open.
///
/// It is an object of its own because a socket references its delegate weakly: an object with weak references is
/// retained and released more slowly, and a connection is retained many times in a request.
final class SocketReceiver: SocketDelegate {
    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    func socket(_ socket: Socket, didReceive line: UnsafeRawBufferPointer) { connection.receive(line) }

    func socketLineTooLong(_ socket: Socket) { connection.receiveTooLongLine() }

    func socketBeganLongLine(_ socket: Socket) { connection.beganLongLine() }

    func socketEndedLongLine(_ socket: Socket) { connection.endedLongLine() }

    func socketIsWorking(_ socket: Socket) -> Bool {
        guard connection.isWorking else { return false }
        connection.peerIsGone()
        return true
    }

    func socketDidEndInput(_ socket: Socket) { connection.receiveEnd() }

    func socketDidBecomeWritable(_ socket: Socket) { connection.becomeWritable() }

    func socketDidClose(_ socket: Socket, error: SocketError?) {
        connection.receiver = nil
        connection.didClose()
    }
}
