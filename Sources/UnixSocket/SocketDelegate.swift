/// Hears what happens to a socket, on the loop's thread. Every callback may close, pause or write to the socket.
public protocol SocketDelegate: AnyObject {
    /// A line without its "\n" or "\r\n"; never an empty one. The bytes are valid during the call, and 64 readable bytes
    /// follow them.
    func socket(_ socket: Socket, didReceive line: UnsafeRawBufferPointer)
    /// A line is longer than `lineLimit`: told once, and the line is skipped to its end.
    func socketLineTooLong(_ socket: Socket)
    /// The peer sends no more; what came without a final "\n" has been delivered as a line. It may still read.
    func socketDidEndInput(_ socket: Socket)
    /// There is room again; called in every turn while `wantsWritable` is set.
    func socketDidBecomeWritable(_ socket: Socket)
    /// The socket is closed: by `close()`, within that call, or because the peer is gone. The last callback, once.
    func socketDidClose(_ socket: Socket, error: SocketError?)
}
