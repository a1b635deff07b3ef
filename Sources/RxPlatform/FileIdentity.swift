/// Which file it is, whatever its name: another file with the same path has another one while the first is open.
public struct FileIdentity: Sendable, Equatable {
    /// The number of the file system.
    public let device: UInt64
    /// The number of the file in it.
    public let number: UInt64

    /// The file with this number in the file system `device`.
    public init(device: UInt64, number: UInt64) {
        self.device = device
        self.number = number
    }
}
