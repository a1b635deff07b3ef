internal import Glibc

/// Finds the files that a log was rotated to: siblings whose name is that of the log, followed by a number or a date
/// (`log.1`, `log-20260101`). So compressed ones are passed over.
struct RotatedFiles {
    private static let suffix = Set("0123456789.-_".utf8)
    /// With names that change faster than this, it is tried again later.
    private static let attempts = 10

    private struct Sibling: Equatable {
        let path: RawPath
        let status: FileStatus
        /// Whether it is the log itself.
        let isLive: Bool

        func isSameFile(as other: Sibling) -> Bool { path == other.path && status.isSameFile(as: other.status) }
    }

    private let path: RawPath
    private let kernel: any FileKernel

    init(_ path: RawPath, kernel: any FileKernel) {
        self.path = path
        self.kernel = kernel
    }

    /// The file of a position, if it is there.
    ///
    /// - Throws: EAGAIN while names change.
    func file(at position: LinePosition) throws(FileError) -> (any OpenFile)? {
        let found = try open { siblings in
            siblings.filter { $0.status.device == position.device && $0.status.inode == position.inode }
        }
        return found.rotated.first ?? found.live
    }

    /// The rotated files that follow another one, the oldest first, and the log itself, if there is one.
    ///
    /// - Throws: EAGAIN while names change.
    func files(after status: FileStatus) throws(FileError) -> (rotated: [any OpenFile], live: (any OpenFile)?) {
        try open { self.files(after: status, $0) }
    }

    /// Whether one of the rotated files follows another one.
    func successor(of status: FileStatus) -> LineFiles.Successor {
        let siblings = list()
        if files(after: status, siblings).contains(where: { $0.status.size > 0 }) { return .written }
        return siblings.contains { $0.status.size == 0 && !$0.status.isSameFile(as: status) } ? .unclear : .none
    }

    private func files(after status: FileStatus, _ siblings: [Sibling]) -> [Sibling] {
        let own = siblings.first { $0.status.isSameFile(as: status) }
        // The time of an empty file is that of its creation, which may be before the last write of the former one.
        return siblings.filter { $0.isLive || $0.status.size > 0 }.filter { file in
            own.map { isOlder($0, file) } ?? (file.isLive || file.status.modified > status.modified)
        }.sorted(by: isOlder)
    }

    /// Opens files while no name changes: a rotation in between would hide one, or open one in place of another.
    private func open(
        _ select: ([Sibling]) -> [Sibling]
    ) throws(FileError) -> (rotated: [any OpenFile], live: (any OpenFile)?) {
        for _ in 0..<Self.attempts {
            let siblings = list()
            let selected = select(siblings)
            let rotated = selected.filter { !$0.isLive }.compactMap { try? kernel.file($0.path) }
            let live = selected.first { $0.isLive }.flatMap { try? kernel.file($0.path) }
            let again = list()
            if rotated.count + (live == nil ? 0 : 1) == selected.count, siblings.count == again.count,
                zip(siblings, again).allSatisfy({ $0.isSameFile(as: $1) })
            {
                return (rotated, live)
            }
        }
        throw FileError(EAGAIN)
    }

    /// The log itself is the newest. Others are ordered by the time of the last write; within one tick of the file
    /// system's clock, the names decide: of numbers, the greater one is older, of dates, the smaller one.
    private func isOlder(_ one: Sibling, _ other: Sibling) -> Bool {
        if one.isLive || other.isLive { return !one.isLive }
        guard one.status.modified == other.status.modified else { return one.status.modified < other.status.modified }
        let (name, otherName) = (one.path.name, other.path.name)
        // A dot and four digits; dates are longer.
        let isNumber = max(name.count, otherName.count) <= path.name.count + 5
        guard isNumber else { return name.lexicographicallyPrecedes(otherName) }
        return name.count == otherName.count
            ? otherName.lexicographicallyPrecedes(name) : name.count > otherName.count
    }

    /// The log and its siblings, ordered by their names.
    private func list() -> [Sibling] {
        var found: [Sibling] = []
        let base = path.name
        guard let listing = try? kernel.list(path.parent, following: true) else { return [] }
        while listing.next({ name, status in
            guard let status, status.kind == .file, name.starts(with: base),
                name.dropFirst(base.count).allSatisfy(Self.suffix.contains)
            else { return }
            found.append(
                Sibling(
                    path: path.parent.appending(component: name), status: status, isLive: name.count == base.count))
        }) {}
        return found.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
    }
}
