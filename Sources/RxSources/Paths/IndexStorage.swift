/// The bytes of an index on disk.
protocol IndexStorage: AnyObject {
    /// The name of the index, for messages.
    var name: String { get }
    /// Whether there is an index, empty or not.
    var exists: Bool { get }
    /// Calls `body` with all bytes; with none if there is no index.
    func read<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(FileError) -> Result
    /// Adds bytes to the end; all of them or none. They outlive the process, but not a failure of the machine.
    func append(_ bytes: [UInt8]) throws(FileError)
    /// Replaces everything by what `body` passes to its argument, at once: after a failure of the machine, either all
    /// of the old bytes are there or all of the new ones.
    func replace(_ body: ((UnsafeRawBufferPointer) -> Void) -> Void) throws(FileError)
    /// Keeps the bytes as they are, under the name with `.damaged`, when they are replaced next.
    func keepDamaged() throws(FileError)
    /// Removes the index and what was kept of it. The object is not used afterwards.
    func remove()
}
