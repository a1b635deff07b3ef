public import UnixSocket

/// The far end of a connection as its outbox sees it: a socket, or memory in a test.
public protocol Transport: AnyObject {
    /// Takes what it can now and tells how much; 0 if it can take nothing or is closed.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int
    /// Whether `Connection.flush` must be called once the transport can take more.
    var wantsWritable: Bool { get set }
    func pauseReading()
    func resumeReading()
    func close()
}

extension Socket: Transport {}
