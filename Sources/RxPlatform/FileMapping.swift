/// Bytes of a file in memory, shared with the kernel: what is written here outlives the process at once, and the
/// machine some time later. Unmapped with the object.
// Unchecked: the owner uses the bytes from one queue.
public final class FileMapping: @unchecked Sendable {
    /// The mapped bytes.
    public let bytes: UnsafeMutableRawBufferPointer
    private let write: @Sendable (UnsafeMutableRawBufferPointer) -> Int32
    private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    /// - Parameters:
    ///   - bytes: the memory; valid until `release` is called.
    ///   - sync: writes the memory to the disk, and returns an errno or 0.
    ///   - release: called once, with `bytes`.
    public init(
        _ bytes: UnsafeMutableRawBufferPointer,
        sync: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Int32 = { _ in 0 },
        release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void
    ) {
        self.bytes = bytes
        write = sync
        self.release = release
    }

    /// Writes the bytes to the disk and returns when they are there.
    ///
    /// - Returns: an errno; 0 for success.
    public func sync() -> Int32 { write(bytes) }

    deinit { release(bytes) }
}
