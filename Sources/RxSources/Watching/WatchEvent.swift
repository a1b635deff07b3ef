/// Events of inotify, with its numbers.
struct WatchEvents: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    static let modified = WatchEvents(rawValue: 0x2)
    static let attributes = WatchEvents(rawValue: 0x4)
    static let written = WatchEvents(rawValue: 0x8)
    static let movedFrom = WatchEvents(rawValue: 0x40)
    static let movedTo = WatchEvents(rawValue: 0x80)
    static let created = WatchEvents(rawValue: 0x100)
    static let removed = WatchEvents(rawValue: 0x200)
    static let removedItself = WatchEvents(rawValue: 0x400)
    static let movedItself = WatchEvents(rawValue: 0x800)
    static let unmounted = WatchEvents(rawValue: 0x2000)
    static let overflow = WatchEvents(rawValue: 0x4000)
    static let ignored = WatchEvents(rawValue: 0x8000)
    /// A request: a symbolic link at the end of the path is not followed.
    static let notFollowing = WatchEvents(rawValue: 0x200_0000)
    static let isDirectory = WatchEvents(rawValue: 0x4000_0000)

    /// The watched file or directory itself is elsewhere or gone.
    static let gone: WatchEvents = [.removedItself, .movedItself, .unmounted, .ignored]
}

/// An event of inotify.
struct WatchEvent {
    /// The watch descriptor; -1 for an overflow.
    var watch: Int32
    var events: WatchEvents
    /// Connects the two halves of a move; otherwise 0.
    var cookie: UInt32
    /// The name in the watched directory; empty for the directory itself. Valid until the handler returns.
    var name: UnsafeRawBufferPointer
}
