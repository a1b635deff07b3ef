/// Who may change a file or a directory.
public struct FileAccess: Sendable, Equatable {
    /// The uid that it belongs to.
    public let owner: UInt32
    /// Its permission bits (`07777`).
    public let mode: UInt32

    /// A file of `owner` with the permission bits `mode`.
    public init(owner: UInt32, mode: UInt32) {
        self.owner = owner
        self.mode = mode
    }

    /// Whether others than the owner may write: its group, or everyone. An access control list counts, because its mask
    /// is in the place of the group's bits.
    public var isSharedForWriting: Bool { mode & 0o022 != 0 }
}
