/// An entry of the index: a file or directory below the root. 56 bytes.
struct PathEntry {
    typealias ID = UInt32

    static let root: ID = 0
    /// No entry.
    static let none = ID.max

    /// Kinds of elements.
    struct Kinds: OptionSet {
        let rawValue: UInt8
        static let created = Kinds(rawValue: 1)
        static let written = Kinds(rawValue: 2)
        static let moved = Kinds(rawValue: 4)
        static let removed = Kinds(rawValue: 8)
        static let attributes = Kinds(rawValue: 16)
    }

    /// What events and scans have reported of a name since it was looked at.
    struct Hints: OptionSet {
        let rawValue: UInt8
        static let created = Hints(rawValue: 1)
        static let written = Hints(rawValue: 2)
        static let attributes = Hints(rawValue: 4)
        static let removed = Hints(rawValue: 8)
        /// Something was moved to the name.
        static let arrived = Hints(rawValue: 16)
        /// A scan has listed it, or has missed it.
        static let scanned = Hints(rawValue: 32)
        /// An event that would explain the state of the name has not come in time.
        static let expired = Hints(rawValue: 64)

        /// One of these explains that nothing is there. Otherwise an event is on its way.
        static let absence: Hints = [.removed, .scanned, .expired]
        /// One of these explains that something else is there. Otherwise an event is on its way.
        static let replacement: Hints = [.created, .arrived, .removed, .scanned, .expired]
    }

    struct Flags: OptionSet {
        let rawValue: UInt16
        static let used = Flags(rawValue: 1)
        static let directory = Flags(rawValue: 2)
        /// A name that is to be looked at. The receiver does not know it, and neither does the index on disk.
        static let candidate = Flags(rawValue: 4)
        /// Is to be looked at.
        static let queued = Flags(rawValue: 8)
        /// An event has reported that it was moved away, and it is not known yet to where.
        static let departed = Flags(rawValue: 16)
        /// A scan reported its content; the event of the same write may still come.
        static let foundByScan = Flags(rawValue: 32)
        /// The running scan of its directory has listed it.
        static let listed = Flags(rawValue: 64)
        /// Must be scanned.
        static let scanWanted = Flags(rawValue: 128)
        static let scanQueued = Flags(rawValue: 256)
        static let scanning = Flags(rawValue: 512)
        /// Could not be listed.
        static let unreadable = Flags(rawValue: 1024)
        /// Does not have a watch, because the limit is reached.
        static let unwatched = Flags(rawValue: 2048)
        /// Gone, and what is below it, too. It keeps its place until that was emitted.
        static let doomed = Flags(rawValue: 4096)

        /// What is lost with the watches.
        static let transient: Flags = [
            .queued, .departed, .listed, .scanWanted, .scanQueued, .scanning, .unreadable, .unwatched,
        ]
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
    var hints: Hints = []
    var flags: Flags = []

    var isCandidate: Bool { flags.contains(.candidate) }
    var isDirectory: Bool { flags.contains(.directory) }
}
