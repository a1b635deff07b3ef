public import UnixSocket

/// The far end of a connection: a socket, or memory in a test.
public protocol Transport: AnyObject {
    /// Takes as many bytes as it can now.
    ///
    /// - Returns: how many; 0 if it can take none or is closed.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int
    /// Whether `Connection.becomeWritable` must be called once the transport can take more.
    var wantsWritable: Bool { get set }
    /// Receives no more lines until `resumeReading`.
    func pauseReading()
    /// Receives lines again.
    func resumeReading()
    /// Closes both directions.
    func close()
}

extension Socket: Transport {}
