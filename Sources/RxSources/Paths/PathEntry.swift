/// An entry of the index: a file or directory below the root. 56 bytes.
struct PathEntry {
    typealias ID = UInt32

    static let root: ID = 0
    /// No entry.
    static let none = ID.max

    /// What an element will report.
    struct Pending: OptionSet {
        let rawValue: UInt8
        static let created = Pending(rawValue: 1)
        static let written = Pending(rawValue: 2)
        static let moved = Pending(rawValue: 4)
        static let removed = Pending(rawValue: 8)
        static let attributes = Pending(rawValue: 16)
        /// Names that an entry has left without a move that could be emitted.
        static let vacated = Pending(rawValue: 32)
    }

    struct Flags: OptionSet {
        let rawValue: UInt16
        static let used = Flags(rawValue: 1)
        static let directory = Flags(rawValue: 2)
        /// Gone from the file system; kept until its element has been settled.
        static let gone = Flags(rawValue: 4)
        /// In the queue of pending entries.
        static let queued = Flags(rawValue: 8)
        /// In an emitted batch that is not settled.
        static let emitted = Flags(rawValue: 16)
        /// The running scan of its directory has found it.
        static let seen = Flags(rawValue: 32)
        /// A scan reported its content; the event of the same write may still come.
        static let foundByScan = Flags(rawValue: 64)
        static let scanQueued = Flags(rawValue: 128)
        /// The scan includes the known directories below.
        static let scanDeep = Flags(rawValue: 256)
        /// Being scanned.
        static let scanning = Flags(rawValue: 512)
        /// The first half of its move has come.
        static let held = Flags(rawValue: 1024)
        /// Could not be listed.
        static let unreadable = Flags(rawValue: 2048)
        /// Does not have a watch, because the limit is reached.
        static let unwatched = Flags(rawValue: 4096)
    }

    /// The content that was last reported.
    struct Stamp: Equatable {
        /// No content was reported.
        static let unknown = Int64.min

        var inode: UInt64 = 0
        var modified = Stamp.unknown
        var size: Int64 = 0
        /// The low 32 bits, which hold every device of Linux in practice.
        var device: UInt32 = 0

        init() {}

        /// The identity of a file, and its content if that is reported.
        init(_ status: FileStatus, hasContent: Bool) {
            inode = status.inode
            device = UInt32(truncatingIfNeeded: status.device)
            if hasContent {
                modified = status.modified
                size = status.size
            }
        }

        func isSameFile(as other: Stamp) -> Bool { inode == other.inode && device == other.device }
    }

    var stamp = Stamp()
    var parent = PathEntry.none
    var firstChild = PathEntry.none
    var next = PathEntry.none
    var previous = PathEntry.none
    var name: UInt32 = 0
    var nameLength: UInt8 = 0
    var pending: Pending = []
    var flags: Flags = []

    /// In the file system, as far as is known.
    var isAlive: Bool { flags.contains(.used) && !flags.contains(.gone) }
    var isDirectory: Bool { flags.contains(.directory) }
}
