/// Turns what the kernel reports of a name into hints. It does not look at the name.
final class PathEvents {
    private let index: PathIndex
    private let dirty: DirtyPaths
    private let moves: PathMoves

    init(index: PathIndex, dirty: DirtyPaths, moves: PathMoves) {
        self.index = index
        self.dirty = dirty
        self.moves = moves
    }

    /// A name in a directory has changed.
    func changed(_ directory: PathEntry.ID, _ event: WatchEvent) {
        if event.events.contains(.movedFrom) { return moves.left(directory, event.name, cookie: event.cookie) }
        var slot = index.tree.find(directory, event.name)
        if event.events.contains(.removed) {
            guard let slot else { return }
            moves.release(slot)
            return dirty.mark(slot, .removed)
        }
        let isDirectory = event.events.contains(.isDirectory)
        if slot == nil, index.keeps(directory, event.name, isDirectory: isDirectory) {
            slot = index.addCandidate(directory, event.name)
        }
        if event.events.contains(.movedTo) { return moves.arrived(slot, cookie: event.cookie) }
        guard let slot else { return }
        if event.events.contains(.created) {
            moves.release(slot)
            dirty.mark(slot, .created)
        }
        if event.events.contains(.written) { dirty.mark(slot, .written) }
        if event.events.contains(.attributes) { dirty.mark(slot, .attributes) }
    }
}
