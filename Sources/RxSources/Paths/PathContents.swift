internal import RxTime

/// Decides what is emitted of an entry that is where it belongs, from its hints and its content.
final class PathContents {
    typealias ID = PathEntry.ID

    /// A write this shortly before a scan may be followed by another one in the same tick of the file system's clock.
    private static let tick: Int64 = 50_000_000

    private let index: PathIndex
    private let kernel: any FileKernel
    /// During the first scan, if it is not to emit what is present: its start, in nanoseconds since 1970.
    var baseline: Int64?

    private var tree: PathTree { index.tree }

    init(index: PathIndex, kernel: any FileKernel) {
        self.index = index
        self.kernel = kernel
    }

    /// A new name; false if there are too many entries.
    ///
    /// - Parameter path: where it was moved from, if that is emitted.
    @discardableResult
    func appear(_ id: ID, _ status: FileStatus, movedFrom path: [UInt8]? = nil, at time: Instant) -> Bool {
        let hints = takeHints(id)
        var kinds: PathEntry.Kinds = [.created, written(status)]
        if path != nil {
            kinds = hints.contains(.written) ? [.moved, written(status)] : .moved
        } else if isIncomplete(hints, status) {
            kinds = .created
        } else if isOld(hints, status) {
            kinds = []
        }
        let isDirectory = status.kind == .directory
        let stamp = PathEntry.Stamp(status, hasContent: kinds != .created || isDirectory)
        guard index.appear(id, stamp, isDirectory: isDirectory) else { return false }
        noteScan(id, hints, status)
        index.emit(id, kinds, from: path, at: time)
        return true
    }

    /// Another file at a known name, or the same one that was moved there from a path without an entry.
    func take(_ id: ID, _ status: FileStatus, movedFrom path: [UInt8], at time: Instant) {
        let hints = takeHints(id)
        set(id, status, hints)
        index.emit(id, hints.contains(.written) ? [.moved, written(status)] : .moved, from: path, at: time)
    }

    /// Another file at a known name.
    func replace(_ id: ID, _ status: FileStatus, at time: Instant) {
        let hints = takeHints(id)
        if isIncomplete(hints, status) {
            tree[id].stamp = PathEntry.Stamp(status, hasContent: false)
            index.emit(id, .created, at: time)
        } else {
            set(id, status, hints)
            let kinds: PathEntry.Kinds = hints.contains(.created) ? [.created, written(status)] : written(status)
            index.emit(id, isOld(hints, status) ? [] : kinds, at: time)
        }
    }

    /// The same file at the same name.
    func compare(_ id: ID, _ status: FileStatus, at time: Instant) {
        let hints = takeHints(id)
        let stamp = PathEntry.Stamp(status, hasContent: true)
        let isNew = stamp != tree[id].stamp
        var kinds = PathEntry.Kinds()
        var isTaken = false
        if hints.contains(.written) {
            // Unless it is the event of a write that a scan has found.
            isTaken = isNew || !tree[id].flags.contains(.foundByScan)
            tree[id].flags.remove(.foundByScan)
        }
        if isNew, !hints.isDisjoint(with: PathEntry.Hints.replacement.subtracting(.created)) { isTaken = true }
        if hints.contains(.attributes) {
            kinds.insert(.attributes)
            // A time that was set. A file whose content was not reported yet will be closed by its writer.
            if isNew, tree[id].stamp.modified != PathEntry.Stamp.unknown { isTaken = true }
        }
        if hints.contains(.created), baseline != nil { kinds.insert(.created) }
        if isTaken {
            set(id, status, hints)
            if !isOld(hints, status) { kinds.insert(written(status)) }
        }
        if isTaken || !kinds.isEmpty { index.emit(id, kinds, at: time) }
    }

    /// The same directory at the same name.
    func note(_ id: ID, _ hints: PathEntry.Hints, at time: Instant) {
        var kinds = PathEntry.Kinds()
        if hints.contains(.attributes) { kinds.insert(.attributes) }
        if hints.contains(.created), baseline != nil { kinds.insert(.created) }
        if !kinds.isEmpty { index.emit(id, kinds, at: time) }
    }

    private func takeHints(_ id: ID) -> PathEntry.Hints {
        defer { tree[id].hints = [] }
        return tree[id].hints
    }

    private func set(_ id: ID, _ status: FileStatus, _ hints: PathEntry.Hints) {
        tree[id].stamp = PathEntry.Stamp(status, hasContent: true)
        tree[id].flags.remove(.foundByScan)
        noteScan(id, hints, status)
    }

    /// Remembers that the event of a write that was found by a scan may still come.
    private func noteScan(_ id: ID, _ hints: PathEntry.Hints, _ status: FileStatus) {
        guard hints.contains(.scanned), !hints.contains(.written),
            kernel.time.microseconds &* 1000 &- status.modified > Self.tick
        else { return }
        tree[id].flags.insert(.foundByScan)
    }

    /// Whether the first scan passes over it, because it was there before.
    private func isOld(_ hints: PathEntry.Hints, _ status: FileStatus) -> Bool {
        guard let baseline, hints.subtracting([.scanned, .expired]).isEmpty else { return false }
        return status.kind == .directory || status.changed < baseline - Self.tick
    }

    /// Whether the file was made and its writer has not closed it yet. A link of either kind is complete at once.
    private func isIncomplete(_ hints: PathEntry.Hints, _ status: FileStatus) -> Bool {
        guard hints.contains(.created), hints.isDisjoint(with: [.written, .arrived, .scanned]) else { return false }
        return status.kind != .link && (status.kind != .file || status.links == 1)
    }

    private func written(_ status: FileStatus) -> PathEntry.Kinds {
        status.kind == .file || status.kind == .link ? .written : []
    }
}
