import Glibc
import RxTime

@testable import RxSources

/// The kernel of a model: before each call, the world may change.
final class ModelKernel: FileKernel {
    let files: ModelFiles
    /// Called before each call of the kernel.
    var race: () -> Void = {}
    /// Files that cannot be opened, by their paths.
    var unreadable: [String: Int32] = [:]
    /// Why nothing can be opened.
    var openFailure: Int32?
    /// Why nothing can be read.
    var readFailure: Int32?
    /// How many reads fail with EIO.
    var failingReads = 0
    var bytesRead = 0
    /// Files that are pipes, by their paths.
    var pipes: Set<String> = []
    /// Files that were opened.
    private(set) var openings = 0
    /// Open files.
    var openFiles = 0
    /// Symbolic links at the end of a path, with what they lead to.
    var links: [String: String] = [:]
    /// Watches that may still be added.
    var watchesLeft = Int.max
    private var isOpen = false
    private var opened: [String: ModelFiles.Node] = [:]

    init(_ files: ModelFiles) { self.files = files }

    var descriptor: Int32? { isOpen ? 0 : nil }
    func open() throws(FileError) { isOpen = true }

    func close() {
        isOpen = false
        files.closeWatches()
    }

    private func node(_ path: RawPath) throws(FileError) -> ModelFiles.Node {
        race()
        if let node = opened[path.text] { return node }
        guard let node = files.node(links[path.text] ?? path.text) else { throw FileError(ENOENT) }
        return node
    }

    func watch(_ path: RawPath, _ events: WatchEvents, isDirectory: Bool) throws(FileError) -> Int32 {
        let node = try node(path)
        guard !isDirectory || node.isDirectory else { throw FileError(ENOTDIR) }
        if node.watches.isEmpty {
            guard watchesLeft > 0 else { throw FileError(ENOSPC) }
            watchesLeft -= 1
        }
        return files.watch(node, events)
    }

    func unwatch(_ watch: Int32) { files.unwatch(watch) }

    func read(_ body: (WatchEvent) -> Void) -> Int {
        race()
        // Any number of events, so that halves of moves are read apart.
        let count = min(files.queue.count, Int.random(in: 1...8, using: &numbers))
        let events = files.queue.prefix(count)
        files.queue.removeFirst(count)
        for event in events {
            Array(event.name.utf8).withUnsafeBytes {
                body(WatchEvent(watch: event.watch, events: event.events, cookie: event.cookie, name: $0))
            }
        }
        return count
    }

    var numbers = SeededNumbers(1)

    func status(_ path: RawPath, following: Bool) throws(FileError) -> FileStatus {
        if !following, links[path.text] != nil {
            return FileStatus(kind: .link, device: 1, inode: 0, modified: 0, changed: 0, size: 0, links: 1)
        }
        var status = FileStatus(try node(path))
        if pipes.contains(path.text) { status.kind = .other }
        return status
    }

    func list(_ path: RawPath, following: Bool) throws(FileError) -> any DirectoryListing {
        let node = try node(path)
        guard node.isDirectory else { throw FileError(ENOTDIR) }
        return ModelListing(node, self)
    }

    func directory(_ path: RawPath, following: Bool) throws(FileError) -> any OpenDirectory {
        try ModelDirectory(node(path), self)
    }

    func file(_ path: RawPath) throws(FileError) -> any OpenFile {
        let node = try node(path)
        openings += 1
        if let error = openFailure ?? unreadable[path.text] { throw FileError(error) }
        return ModelOpenFile(node, self, watchPath: descriptor(of: node))
    }

    /// A path that leads to an open file or directory.
    func descriptor(of node: ModelFiles.Node) -> RawPath {
        let path = RawPath("/open/\(opened.count)")
        opened[path.text] = node
        return path
    }

    var uptime: Duration { files.uptime }
    var time: Instant { Instant(microseconds: files.time / 1000) }
}

extension FileStatus {
    init(_ node: ModelFiles.Node) {
        self.init(
            kind: node.isDirectory ? .directory : .file, device: 1, inode: node.inode, modified: node.modified,
            changed: node.changed, size: Int64(node.content.count), links: node.links)
    }
}

private final class ModelDirectory: OpenDirectory {
    private let node: ModelFiles.Node
    private let kernel: ModelKernel
    private(set) lazy var watchPath = kernel.descriptor(of: node)

    init(_ node: ModelFiles.Node, _ kernel: ModelKernel) throws(FileError) {
        guard node.isDirectory else { throw FileError(ENOTDIR) }
        self.node = node
        self.kernel = kernel
    }

    var status: FileStatus { get throws(FileError) { FileStatus(node) } }

    func status(of name: UnsafeRawBufferPointer) throws(FileError) -> FileStatus { FileStatus(try child(name)) }

    func directory(_ name: UnsafeRawBufferPointer) throws(FileError) -> any OpenDirectory {
        try ModelDirectory(child(name), kernel)
    }

    func list() throws(FileError) -> any DirectoryListing {
        kernel.race()
        return ModelListing(node, kernel)
    }

    private func child(_ name: UnsafeRawBufferPointer) throws(FileError) -> ModelFiles.Node {
        kernel.race()
        guard let child = node.children[String(decoding: name, as: UTF8.self)] else { throw FileError(ENOENT) }
        return child
    }
}

/// Lists what was there at the start and still is; what came later may be missing.
private final class ModelListing: DirectoryListing {
    private let node: ModelFiles.Node
    private var names: [String]
    private let kernel: ModelKernel

    init(_ node: ModelFiles.Node, _ kernel: ModelKernel) {
        self.node = node
        self.kernel = kernel
        names = node.children.keys.sorted()
    }

    func next(_ body: (UnsafeRawBufferPointer, FileStatus?) -> Void) -> Bool {
        kernel.race()
        while let name = names.popLast() {
            guard let child = node.children[name] else { continue }
            Array(name.utf8).withUnsafeBytes { body($0, FileStatus(child)) }
            return true
        }
        return false
    }
}

/// An open file of the model.
final class ModelOpenFile: OpenFile {
    private let node: ModelFiles.Node
    private let kernel: ModelKernel
    let watchPath: RawPath

    init(_ node: ModelFiles.Node, _ kernel: ModelKernel, watchPath: RawPath) {
        self.node = node
        self.kernel = kernel
        self.watchPath = watchPath
        kernel.openFiles += 1
    }

    deinit { kernel.openFiles -= 1 }

    var status: FileStatus { get throws(FileError) { FileStatus(node) } }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        if let error = kernel.readFailure { throw FileError(error) }
        if kernel.failingReads > 0 {
            kernel.failingReads -= 1
            throw FileError(EIO)
        }
        guard offset < node.content.count else { return 0 }
        let part = node.content[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        kernel.bytesRead += part.count
        return part.count
    }
}

/// An index on a disk that survives the process.
final class ModelStorage: IndexStorage {
    let name = "index"
    var bytes: [UInt8] = []
    /// The bytes that were kept as damaged.
    private(set) var damaged: [UInt8]?
    var exists = false
    /// Whether nothing can be written.
    var fails = false

    func keepDamaged() throws(FileError) { damaged = bytes }

    func remove() {
        bytes = []
        exists = false
    }

    func read<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(FileError) -> Result {
        bytes.withUnsafeBytes(body)
    }
    func append(_ more: [UInt8]) throws(FileError) {
        if fails { throw FileError(ENOSPC) }
        exists = true
        bytes += more
    }
    func replace(_ body: ((UnsafeRawBufferPointer) -> Void) -> Void) throws(FileError) {
        if fails { throw FileError(ENOSPC) }
        var new: [UInt8] = []
        body { new += $0 }
        exists = true
        bytes = new
    }
}
