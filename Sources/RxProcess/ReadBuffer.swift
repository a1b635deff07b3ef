// Sendable: used only on the loop's thread.
/// One read buffer for the pipes of all processes of a loop.
final class ReadBuffer: @unchecked Sendable {
    /// The most bytes of a read.
    static let size = 4096
    /// The default capacity of a pipe.
    static let pipeSize = 65_536
    /// The read size for standard error, whose lines each cost a journal record; and for output with backpressure,
    /// where it bounds the number of lines that may wait.
    static let smallSize = 1024
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)

    deinit { bytes.deallocate() }

    enum Outcome {
        case bytes(UnsafeRawBufferPointer)
        case nothingYet
        case end
    }

    /// Reads what the pipe contains, up to `limit` bytes. The result is valid until the next call.
    func read(_ descriptor: Int32, atMost limit: Int, in pipes: some PipeSystem) -> Outcome {
        let free = UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(limit))
        return switch pipes.read(descriptor, into: free) {
        case .bytes(let count): .bytes(UnsafeRawBufferPointer(rebasing: free.prefix(count)))
        case .nothingYet: .nothingYet
        case .end: .end
        }
    }
}
