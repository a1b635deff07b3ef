internal import Glibc
internal import RxJSON

/// Chooses the files of a log, one after the other: first that of a position, then the rotated ones that followed, and
/// then the log itself.
struct LineFiles {
    /// A file to read.
    struct Choice {
        var file: any OpenFile
        var begin: Begin
        /// Whether it was rotated and has a successor, so that its end is final.
        var isRotated: Bool { followed != nil }
        /// A rotated file as it was when others were found to follow it.
        var followed: FileStatus?
    }

    enum Begin {
        case beginning
        /// Behind what was read, or at the beginning if the content is another one by now.
        case position(LinePosition)
        /// New lines only.
        case end
    }

    /// What follows a file that was read to its end.
    enum Successor {
        case none
        /// Its writer has begun.
        case written
        /// The log itself, whose writer may not know of it yet.
        case empty
        /// The log is missing, and which of its rotated files are older is not known before they are written to.
        case unclear
    }

    private enum Start {
        case end
        case position(LinePosition)
    }

    /// Files whose end is remembered: more than rotation keeps, as a rule.
    private static let mostRead = 64

    private let path: RawPath
    private let kernel: any FileKernel
    private var rotated: RotatedFiles
    /// Where to begin; nil once a file was opened, or for the beginning of the next one.
    private var start: Start?
    /// The last file that was read to its end, while it is not known what follows it: as it was then, or, if others
    /// followed it already, as it was when it was chosen among them.
    private var finished: FileStatus?
    private var followed: FileStatus?
    /// The ends of files that were read. A program that still writes to one must not make it a newer one.
    private var read: [LinePosition] = []

    init(_ path: RawPath, after position: RawJSON?, kernel: any FileKernel) {
        self.path = path
        self.kernel = kernel
        rotated = RotatedFiles(path, kernel: kernel)
        start = LinePosition(position).map(Start.position) ?? .end
    }

    /// The next file; the same one until `begun`.
    ///
    /// - Throws: ENOENT if there is none, EAGAIN while names change, EINVAL if it is not a regular file.
    mutating func next() throws(FileError) -> Choice {
        do throws(FileError) {
            let choice = try choose()
            guard try choice.file.status.kind == .file else { throw FileError(EINVAL) }
            return choice
        } catch {
            // What is missing will be new.
            if error.errno == ENOENT, case .end = start { start = nil }
            throw error
        }
    }

    /// The last rotated file that was passed over because it cannot be opened.
    var unreadable: RotatedFiles.Unreadable? { rotated.unreadable }

    /// The chosen file is being read.
    mutating func begun(_ choice: Choice) {
        (start, finished, followed) = (nil, nil, choice.followed)
    }

    /// A file was read to its end, and is not read any more.
    mutating func ended(_ tail: LineTail) {
        finished = followed ?? (try? tail.file.status)
        read.append(tail.position)
        if read.count > Self.mostRead { read.removeFirst() }
    }

    /// A file cannot be read at present. The next one is that of a position again.
    mutating func resume(after position: LinePosition) {
        (start, finished) = (.position(position), nil)
    }

    /// Looks for what follows a file.
    func successor(of file: any OpenFile) -> Successor {
        guard let own = try? file.status else { return .none }
        do throws(FileError) {
            let status = try kernel.status(path, following: true)
            guard status.kind == .file, !status.isSameFile(as: own) else { return .none }
            return status.size > 0 ? .written : .empty
        } catch {
            // Perhaps the log was rotated again before it was seen.
            return error.errno == ENOENT ? rotated.successor(of: own) : .none
        }
    }

    private mutating func choose() throws(FileError) -> Choice {
        switch start {
        case .position(let position): return try resume(position)
        case .end: return Choice(file: try log(), begin: .end)
        case nil:
            if let finished, let next = try rotated.follower(of: finished, except: read) {
                return Choice(file: next.file, begin: .beginning, followed: next.followed)
            }
            return Choice(file: try log(), begin: .beginning)
        }
    }

    /// Goes on in the file of a position, wherever it is by now.
    private mutating func resume(_ position: LinePosition) throws(FileError) -> Choice {
        var live: (any OpenFile)?
        do throws(FileError) { live = try log() } catch {
            guard error.errno == ENOENT || error.errno == ENOTDIR else { throw error }
        }
        if let live, try position.matches(live) { return Choice(file: live, begin: .position(position)) }
        if let found = try rotated.file(at: position) {
            // The last one may still have its writer.
            return Choice(file: found.file, begin: .position(position), followed: found.followed)
        }
        guard let live else {
            start = nil
            throw FileError(ENOENT)
        }
        return Choice(file: live, begin: .beginning)
    }

    /// Opens the log itself. A pipe is not opened at all: its writer would notice.
    private func log() throws(FileError) -> any OpenFile {
        guard try kernel.status(path, following: true).kind == .file else { throw FileError(EINVAL) }
        return try kernel.file(path)
    }
}
