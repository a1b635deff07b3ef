/// Receives the events of a socket on the loop's thread. Every callback may close, pause, or write to the socket.
public protocol SocketDelegate: AnyObject {
    /// Delivers a line without its "\n" or "\r\n"; never an empty one. The bytes are valid only during the call and are
    /// followed by 64 readable bytes.
    func socket(_ socket: Socket, didReceive line: UnsafeRawBufferPointer)
    /// Reports a line longer than `lineLimit`, once. The line is skipped to its end.
    func socketLineTooLong(_ socket: Socket)
    /// Reports that the peer sends no more. An unterminated last line has been delivered. The peer may still read.
    func socketDidEndInput(_ socket: Socket)
    /// Reports space in the send buffer, in every turn while `wantsWritable` is set.
    func socketDidBecomeWritable(_ socket: Socket)
    /// Reports the end of the socket: by `close()`, during that call, or because the peer is gone. Called once, last.
    func socketDidClose(_ socket: Socket, error: SocketError?)
}
