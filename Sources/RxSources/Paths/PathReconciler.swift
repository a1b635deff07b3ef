internal import Glibc
internal import RxTime

/// Makes the index agree with the file system, one name at a time. What an event or a scan reports is a hint: the file
/// itself decides.
///
/// Events are handled in the kernel's order, and every change after an event causes a later one. So a name that is
/// found in another state than the event implies is either handled now, or left to its next event.
final class PathReconciler {
    typealias ID = PathEntry.ID

    /// Why a name is looked at.
    enum Cause {
        case created, written, removed, attributes
        /// Moved in from outside of the root.
        case arrived
        /// Moved in from a path in the root that has no entry.
        case movedIn(from: [UInt8])
        /// Listed by a scan.
        case found
        /// Not listed by a scan, or unclear for another reason.
        case check
    }

    /// A write this shortly before a scan may be followed by another one in the same tick of the file system's clock.
    private static let tick: Int64 = 50_000_000

    private let index: PathIndex
    private let kernel: any FileKernel
    private let recursive: Bool
    private let queueScan: (_ directory: ID, _ deep: Bool) -> Void
    /// During the first scan, if it is not to emit what is present: its start, in nanoseconds since 1970.
    var baseline: Int64?

    private var tree: PathTree { index.tree }

    init(
        index: PathIndex, kernel: any FileKernel, recursive: Bool,
        queueScan: @escaping (_ directory: ID, _ deep: Bool) -> Void
    ) {
        self.index = index
        self.kernel = kernel
        self.recursive = recursive
        self.queueScan = queueScan
    }

    /// Looks at a name in a directory, and returns its entry, if there is one.
    ///
    /// - Parameter known: what it is, if the caller has just looked.
    @discardableResult
    func look(_ directory: ID, _ name: UnsafeRawBufferPointer, _ cause: Cause, known: FileStatus? = nil) -> ID? {
        let relative = index.relative(directory, name)
        let alive = tree.find(directory, name).flatMap { tree[$0].isAlive ? $0 : nil }
        let status: FileStatus
        do throws(FileError) {
            if let known {
                status = known
            } else {
                status = try kernel.status(index.absolute(relative), following: false)
            }
        } catch {
            if let alive, error.errno == ENOENT || error.errno == ENOTDIR { missing(alive, cause) }
            return nil
        }
        let isDirectory = status.kind == .directory
        guard index.filter.keeps(relative[...], isDirectory: isDirectory) else {
            if let alive { index.remove(alive) }
            return nil
        }
        let stamp = PathEntry.Stamp(status, hasContent: true)
        if let alive, tree[alive].isDirectory == isDirectory,
            !isDirectory || tree[alive].stamp.isSameFile(as: stamp)
        {
            if isDirectory { compareDirectory(alive, cause) } else { compareFile(alive, status, stamp, cause) }
            return alive
        }
        if let alive { index.remove(alive) }
        return appear(directory, name, status, cause)
    }

    /// The name is gone. Unless that is what was reported, a later event reports where it went.
    private func missing(_ id: ID, _ cause: Cause) {
        switch cause {
        case .removed, .check, .found: index.remove(id)
        case .written where !tree[id].isDirectory:
            // Its content has changed, wherever it is.
            tree[id].stamp.modified = PathEntry.Stamp.unknown
            index.mark(id, .written)
        case .written, .created, .attributes, .arrived, .movedIn: break
        }
    }

    private func appear(
        _ directory: ID, _ name: UnsafeRawBufferPointer, _ status: FileStatus, _ cause: Cause
    ) -> ID? {
        let isDirectory = status.kind == .directory
        let written: PathEntry.Pending = canBeWritten(status) ? .written : []
        var bits = written.union(.created)
        var from: [UInt8]?
        switch cause {
        case .created where !isComplete(status): bits = .created
        case .found where isOld(status): bits = []
        case .movedIn(let path):
            let target = index.relative(directory, name)
            if index.emitsMove(to: target) { (bits, from) = ([], path) }
        case .created, .written, .removed, .attributes, .arrived, .found, .check: break
        }
        let hasContent = bits != .created || isDirectory
        let stamp = PathEntry.Stamp(status, hasContent: hasContent)
        guard let id = index.add(name, to: directory, stamp, isDirectory: isDirectory) else { return nil }
        if hasContent { noteScan(id, status, cause) }
        if let from { index.markMove(id, from: from) } else { index.mark(id, bits) }
        if isDirectory, recursive { queueScan(id, false) }
        return id
    }

    private func compareDirectory(_ id: ID, _ cause: Cause) {
        switch cause {
        case .created: if baseline != nil { index.mark(id, .created) }
        case .attributes:
            index.mark(id, .attributes)
            if tree[id].flags.contains(.unreadable) { queueScan(id, false) }
        case .written, .removed, .arrived, .movedIn, .found, .check: break
        }
    }

    private func compareFile(_ id: ID, _ status: FileStatus, _ stamp: PathEntry.Stamp, _ cause: Cause) {
        let old = tree[id].stamp
        let isSame = old.isSameFile(as: stamp)
        let written: PathEntry.Pending = canBeWritten(status) ? .written : []
        func take(_ bits: PathEntry.Pending) {
            tree[id].stamp = stamp
            tree[id].flags.remove(.foundByScan)
            noteScan(id, status, cause)
            index.mark(id, bits)
        }
        switch cause {
        case .written:
            let isKnown = old == stamp && tree[id].flags.contains(.foundByScan)
            if isKnown { tree[id].flags.remove(.foundByScan) } else { take(written) }
        case .created:
            if isSame {
                if baseline != nil { index.mark(id, .created) }
            } else if isComplete(status) {
                take(written.union(.created))
            } else {
                tree[id].stamp = PathEntry.Stamp(status, hasContent: false)
                index.mark(id, .created)
            }
        case .attributes:
            // A time that was set. A file whose content was not reported yet will be closed by its writer.
            let isTouched = old.modified != PathEntry.Stamp.unknown && old != stamp
            if isTouched { take(written.union(.attributes)) } else { index.mark(id, .attributes) }
        case .removed: if !isSame { take(written) }
        case .movedIn(let path):
            if index.emitsMove(to: index.relative(id)) {
                tree[id].stamp = stamp
                index.markMove(id, from: path)
            } else {
                take(written)
            }
        case .found where old != stamp && isOld(status): take([])
        case .arrived, .found, .check: if old != stamp { take(written) }
        }
    }

    /// Remembers that the event of a write that was found by a scan may still come.
    private func noteScan(_ id: ID, _ status: FileStatus, _ cause: Cause) {
        guard case .found = cause, kernel.time.microseconds &* 1000 &- status.modified > Self.tick else { return }
        tree[id].flags.insert(.foundByScan)
    }

    /// Whether the first scan passes over it, because it was there before.
    private func isOld(_ status: FileStatus) -> Bool {
        guard let baseline else { return false }
        return status.kind == .directory || status.changed < baseline - Self.tick
    }

    private func canBeWritten(_ status: FileStatus) -> Bool { status.kind == .file || status.kind == .link }

    /// Whether a new name has its content already: a link of either kind. No event follows.
    private func isComplete(_ status: FileStatus) -> Bool {
        status.kind == .link || status.kind == .file && status.links > 1
    }
}
