/// Bytes of a file in memory, shared with the kernel: what is written here outlives the process at once, and the
/// machine some time later. Unmapped with the object.
// Unchecked: the owner uses the bytes from one queue.
public final class FileMapping: @unchecked Sendable {
    /// The mapped bytes.
    public let bytes: UnsafeMutableRawBufferPointer
    private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    /// - Parameters:
    ///   - bytes: the memory; valid until `release` is called.
    ///   - release: called once, with `bytes`.
    public init(
        _ bytes: UnsafeMutableRawBufferPointer, release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void
    ) {
        self.bytes = bytes
        self.release = release
    }

    deinit { release(bytes) }
}
