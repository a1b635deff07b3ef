import Glibc
import RxTime

@testable import RxSources

/// Random numbers from a seed.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// A file system in memory, with inotify: what a kernel does, and when its queue overflows.
final class ModelFiles {
    final class Node {
        let inode: UInt64
        let isDirectory: Bool
        var children: [String: Node] = [:]
        var content: [UInt8] = []
        var modified: Int64
        var changed: Int64
        /// Watch descriptors.
        var watches: [Int32] = []
        var links: UInt64 = 1
        /// Whether a writer has closed it.
        var isWritten = false

        init(_ inode: UInt64, isDirectory: Bool, at time: Int64) {
            self.inode = inode
            self.isDirectory = isDirectory
            modified = time
            changed = time
        }
    }

    struct QueuedEvent {
        var watch: Int32
        var events: WatchEvents
        var cookie: UInt32
        var name: String
    }

    let root: Node
    private var inodes: UInt64 = 1
    private var clock: Int64 = 1_700_000_000_000_000_000
    private var cookies: UInt32 = 0
    private var nextWatch: Int32 = 1
    private var watched: [Int32: (node: Node, events: WatchEvents)] = [:]
    private var freeInodes: [UInt64] = []
    var queue: [QueuedEvent] = []
    /// The most events of the queue.
    var mostQueued = Int.max
    var uptime = Duration.zero

    init() { root = Node(1, isDirectory: true, at: 0) }

    var time: Int64 { clock }

    private func tick() -> Int64 {
        clock += 1_000_000
        return clock
    }

    func pass(_ time: Duration) {
        uptime += time
        clock += time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
    }

    // MARK: Names

    func node(_ path: String) -> Node? {
        var node = root
        for name in path.split(separator: "/") {
            guard let next = node.children[String(name)] else { return nil }
            node = next
        }
        return node
    }

    private func split(_ path: String) -> (parent: Node, name: String)? {
        let slash = path.lastIndex(of: "/")!
        guard let parent = node(String(path[..<slash])), parent.isDirectory else { return nil }
        return (parent, String(path[path.index(after: slash)...]))
    }

    // MARK: What programs do

    func makeDirectory(_ path: String) {
        guard let (parent, name) = split(path), parent.children[name] == nil else { return }
        let node = make(isDirectory: true)
        parent.children[name] = node
        notify(parent, [.created, .isDirectory], name)
    }

    /// Mounts an empty directory over another one, which the kernel does not announce.
    func mount(_ path: String) {
        guard let (parent, name) = split(path) else { return }
        parent.children[name] = make(isDirectory: true)
    }

    /// Creates a file if there is none, without closing it.
    @discardableResult
    func create(_ path: String) -> Node? {
        guard let (parent, name) = split(path) else { return nil }
        if let node = parent.children[name] { return node.isDirectory ? nil : node }
        let node = make(isDirectory: false)
        parent.children[name] = node
        notify(parent, .created, name)
        return node
    }

    /// Writes a file anew and closes it.
    func write(_ path: String, _ bytes: [UInt8]) {
        guard let node = create(path) else { return }
        node.content = bytes
        node.isWritten = true
        changed(node, path)
        if let (parent, name) = split(path) { notify(parent, .written, name) }
    }

    func append(_ node: Node, _ bytes: [UInt8]) {
        node.content += bytes
        node.modified = tick()
        node.changed = node.modified
        notifyItself(node, .modified)
    }

    func truncate(_ node: Node) {
        node.content = []
        node.modified = tick()
        node.changed = node.modified
        notifyItself(node, .modified)
    }

    private func changed(_ node: Node, _ path: String) {
        node.modified = tick()
        node.changed = node.modified
        notifyItself(node, .modified)
    }

    func remove(_ path: String) {
        guard let (parent, name) = split(path), let node = parent.children[name], node.children.isEmpty else { return }
        parent.children[name] = nil
        free(node)
        notify(parent, node.isDirectory ? [.removed, .isDirectory] : .removed, name)
    }

    /// `rename(2)`.
    func move(_ path: String, to target: String) {
        guard let (parent, name) = split(path), let node = parent.children[name],
            let (newParent, newName) = split(target), target != path, !target.hasPrefix(path + "/")
        else { return }
        let replaced = newParent.children[newName]
        if let replaced {
            guard replaced.isDirectory == node.isDirectory, replaced.children.isEmpty else { return }
        }
        parent.children[name] = nil
        newParent.children[newName] = node
        node.changed = tick()
        cookies += 1
        let kind: WatchEvents = node.isDirectory ? .isDirectory : []
        notify(parent, kind.union(.movedFrom), name, cookie: cookies)
        notify(newParent, kind.union(.movedTo), newName, cookie: cookies)
        notifyItself(node, .movedItself)
        if let replaced { free(replaced) }
    }

    private func make(isDirectory: Bool) -> Node {
        // Numbers are used again, as real file systems do.
        if let inode = freeInodes.popLast() { return Node(inode, isDirectory: isDirectory, at: tick()) }
        inodes += 1
        return Node(inodes, isDirectory: isDirectory, at: tick())
    }

    private func free(_ node: Node) {
        for watch in node.watches {
            add(QueuedEvent(watch: watch, events: .removedItself, cookie: 0, name: ""))
            add(QueuedEvent(watch: watch, events: .ignored, cookie: 0, name: ""))
            watched[watch] = nil
        }
        node.watches = []
        freeInodes.append(node.inode)
    }

    // MARK: inotify

    func watch(_ node: Node, _ events: WatchEvents) -> Int32 {
        if let watch = node.watches.first {
            watched[watch]?.events.formUnion(events)
            return watch
        }
        let watch = nextWatch
        nextWatch += 1
        node.watches = [watch]
        watched[watch] = (node, events)
        return watch
    }

    func unwatch(_ watch: Int32) {
        guard let (node, _) = watched.removeValue(forKey: watch) else { return }
        node.watches = []
        add(QueuedEvent(watch: watch, events: .ignored, cookie: 0, name: ""))
    }

    var watchCount: Int { watched.count }

    /// The process is gone.
    func closeWatches() {
        for (_, entry) in watched { entry.node.watches = [] }
        watched = [:]
        queue = []
    }

    private func notify(_ directory: Node, _ events: WatchEvents, _ name: String, cookie: UInt32 = 0) {
        guard let watch = directory.watches.first, let wanted = watched[watch]?.events, !wanted.isDisjoint(with: events)
        else { return }
        add(QueuedEvent(watch: watch, events: events, cookie: cookie, name: name))
    }

    private func notifyItself(_ node: Node, _ events: WatchEvents) {
        guard let watch = node.watches.first, let wanted = watched[watch]?.events, !wanted.isDisjoint(with: events)
        else { return }
        add(QueuedEvent(watch: watch, events: events, cookie: 0, name: ""))
    }

    private func add(_ event: QueuedEvent) {
        if queue.count >= mostQueued {
            guard queue.last?.events != .overflow else { return }
            queue.append(QueuedEvent(watch: -1, events: .overflow, cookie: 0, name: ""))
        } else {
            queue.append(event)
        }
    }
}
