/// Moves that are not emitted yet: for each entry, the path at which the receiver knows it, relative to the root.
struct PendingMoves {
    typealias ID = PathEntry.ID

    private var paths: [ID: [UInt8]] = [:]
    private var ids: [[UInt8]: ID] = [:]
    /// Directories, in the order of their moves.
    private var directories: [ID] = []

    var isEmpty: Bool { paths.isEmpty }

    /// The first directory whose move is pending.
    var firstDirectory: ID? { directories.first }

    func from(_ id: ID) -> [UInt8]? { paths[id] }

    /// Remembers the first path that an entry was moved from.
    mutating func add(_ id: ID, from path: [UInt8], isDirectory: Bool) {
        guard paths[id] == nil else { return }
        paths[id] = path
        ids[path] = id
        if isDirectory { directories.append(id) }
    }

    /// Forgets the move of an entry, and returns the path that it was moved from.
    mutating func remove(_ id: ID) -> [UInt8]? {
        guard let path = paths.removeValue(forKey: id) else { return nil }
        if ids[path] == id { ids[path] = nil }
        directories.removeAll { $0 == id }
        return path
    }

    /// The entries that the receiver knows at a path, or at a directory above it, and that are elsewhere by now.
    func leaving(_ path: [UInt8]) -> [ID] {
        guard !paths.isEmpty else { return [] }
        var leaving = ids[path].map { [$0] } ?? []
        leaving += directories.filter { id in paths[id].map { Self.isBelow(path, $0) } ?? false }
        return leaving
    }

    /// The move of a directory was emitted: what the receiver knows below it has other paths.
    mutating func rename(_ path: [UInt8], to new: [UInt8]) {
        for (id, old) in paths where Self.isBelow(old, path) {
            let renamed = Self.renamed(old, path, to: new)
            if ids[old] == id { ids[old] = nil }
            paths[id] = renamed
            ids[renamed] = id
        }
    }

    /// A path after the move of a directory.
    static func renamed(_ old: [UInt8], _ path: [UInt8], to new: [UInt8]) -> [UInt8] {
        isBelow(old, path) ? new + old[path.count...] : old
    }

    private static func isBelow(_ path: [UInt8], _ directory: [UInt8]) -> Bool {
        path.count > directory.count && path[directory.count] == UInt8(ascii: "/") && path.starts(with: directory)
    }
}
