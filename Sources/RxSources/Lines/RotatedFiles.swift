internal import Glibc

/// Finds the files that a log was rotated to: siblings whose name is that of the log, followed by a number or a date
/// (`log.1`, `log-20260101`). So compressed ones are passed over.
struct RotatedFiles {
    private static let suffix = Set("0123456789.-_".utf8)
    /// With names that change faster than this, it is tried again later.
    private static let attempts = 10
    /// Errors of the process or the machine, not of one file.
    private static let temporary: Set<Int32> = [EMFILE, ENFILE, ENOMEM, EINTR]

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

    /// A file that follows another one.
    struct Follower {
        var file: any OpenFile
        /// The file as it was listed, if another rotated file follows, so that its end is final.
        var followed: FileStatus?
    }

    /// A rotated file that was passed over because it cannot be opened.
    struct Unreadable: Equatable {
        var path: RawPath
        var error: FileError
    }

    /// The last file that was passed over.
    private(set) var unreadable: Unreadable?

    /// The file of a position, if it is there; if it cannot be opened, the oldest one that follows it.
    ///
    /// - Throws: EAGAIN while names change; what forbids to open any file, or the log itself.
    mutating func file(at position: LinePosition) throws(FileError) -> Follower? {
        try open(.of(position))
    }

    /// The oldest file that follows another one and can be opened: a rotated one, or the log itself.
    ///
    /// - Parameters:
    ///   - status: as it was when the file was read to its end.
    ///   - read: the ends of files that were read before.
    /// - Throws: EAGAIN while names change; what forbids to open any file, or the log itself.
    mutating func follower(
        of status: FileStatus, except read: [LinePosition]
    ) throws(FileError) -> Follower? { try open(.after(status), except: read) }

    /// Whether one of the rotated files follows another one.
    func successor(of status: FileStatus) -> LineFiles.Successor {
        guard let siblings = try? list() else { return .none }
        if files(after: status, siblings).contains(where: { $0.status.size > 0 }) { return .written }
        return siblings.contains { $0.status.size == 0 && !$0.status.isSameFile(as: status) } ? .unclear : .none
    }

    private func files(after status: FileStatus, _ siblings: [Sibling]) -> [Sibling] {
        // As it was: a program that still writes to it does not make it newer than those that follow it.
        let own = siblings.first { $0.status.isSameFile(as: status) }
            .map { Sibling(path: $0.path, status: status, isLive: $0.isLive) }
        // The time of an empty file is that of its creation, which may be before the last write of the former one.
        return siblings.filter { file in
            guard file.isLive || file.status.size > 0, !file.status.isSameFile(as: status) else { return false }
            return own.map { isOlder($0, file) } ?? (file.isLive || file.status.modified > status.modified)
        }.sorted(by: isOlder)
    }

    /// Opens the first of the selected files that can be opened, while no name changes: a rotation in between would
    /// hide one, or open one in place of another. One at a time, however many there are.
    private mutating func open(_ wanted: Wanted, except read: [LinePosition] = []) throws(FileError) -> Follower? {
        for _ in 0..<Self.attempts {
            let siblings = try list()
            let found = try first(of: select(wanted, siblings), except: read)
            let again = try list()
            guard siblings.count == again.count, zip(siblings, again).allSatisfy({ $0.isSameFile(as: $1) }) else {
                continue
            }
            switch found {
            case .none: return nil
            case .opened(let file, let sibling):
                let isFollowed = files(after: sibling.status, siblings).contains { !$0.isLive }
                return Follower(file: file, followed: isFollowed ? sibling.status : nil)
            case .gone: continue
            }
        }
        throw FileError(EAGAIN)
    }

    private enum Wanted {
        case of(LinePosition)
        case after(FileStatus)
    }

    private func select(_ wanted: Wanted, _ siblings: [Sibling]) -> [Sibling] {
        switch wanted {
        case .of(let position):
            siblings.filter { $0.status.device == position.device && $0.status.inode == position.inode }
                .flatMap { [$0] + files(after: $0.status, siblings) }
        case .after(let status): files(after: status, siblings)
        }
    }

    private enum Found {
        case none
        case opened(any OpenFile, Sibling)
        /// A name has changed since it was listed.
        case gone
    }

    private mutating func first(of files: [Sibling], except read: [LinePosition]) throws(FileError) -> Found {
        for sibling in files {
            do throws(FileError) {
                let file = try kernel.file(sibling.path)
                if !sibling.isLive, read.contains(where: { (try? $0.matches(file)) ?? false }) { continue }
                return .opened(file, sibling)
            } catch {
                if error.errno == ENOENT { return .gone }
                // Lines of a file that stays unreadable must not stop those that follow.
                guard !sibling.isLive, !Self.temporary.contains(error.errno) else { throw error }
                unreadable = Unreadable(path: sibling.path, error: error)
            }
        }
        return .none
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

    /// The log and its siblings, ordered by their names; none if the directory cannot be listed.
    ///
    /// - Throws: what forbids to list any directory.
    private func list() throws(FileError) -> [Sibling] {
        var found: [Sibling] = []
        let base = path.name
        let listing: any DirectoryListing
        do throws(FileError) { listing = try kernel.list(path.parent, following: true) } catch {
            guard Self.temporary.contains(error.errno) else { return [] }
            throw error
        }
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
