/// What a path source watches, and which events it emits.
public struct PathOptions: Sendable, Hashable {
    /// An event of a file or directory. Raw values are those of the configuration and of elements.
    public enum Event: String, Sendable, Hashable, CaseIterable {
        /// A new name: made, linked, or moved in from outside.
        case created
        /// A file that was open for writing was closed, or a scan found a file whose identity, time of change, or size
        /// is new. A file that is moved in from outside is new, too.
        case written
        /// Another name within the root.
        case moved
        /// Deleted, or moved out of the root.
        case removed
        /// The mode, the owner, a time, or an extended attribute was set.
        case attributes
    }

    /// An absolute path of a directory. It may be a symbolic link; links below it are not followed.
    public var root: String
    /// The events that are emitted.
    public var events: Set<Event>
    /// Whether directories below the root are watched, too.
    public var recursive: Bool
    /// Patterns of what is emitted; none means everything. Directories that do not match are entered, but not emitted.
    public var include: [PathGlob]
    /// Patterns of what is neither emitted nor entered.
    public var exclude: [PathGlob]
    /// Whether the first start emits what is present.
    public var existing: Bool
    /// The most entries of the index, each of which takes about 100 bytes of memory and 60 bytes of disk.
    public var most: Int

    /// Creates options; the defaults are those of the configuration.
    public init(
        root: String, events: Set<Event> = [.written, .moved, .removed], recursive: Bool = false,
        include: [PathGlob] = [], exclude: [PathGlob] = [], existing: Bool = false, most: Int = 1_000_000
    ) {
        self.root = root
        self.events = events
        self.recursive = recursive
        self.include = include
        self.exclude = exclude
        self.existing = existing
        self.most = most
    }
}
