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
        var isRotated = false
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

    private let path: RawPath
    private let kernel: any FileKernel
    private let rotated: RotatedFiles
    /// Where to begin; nil once a file was opened, or for the beginning of the next one.
    private var start: Start?
    /// Rotated files to read before the log itself.
    private var backlog: [any OpenFile] = []
    /// The last file that was read to its end, while it is not known what follows it.
    private var finished: FileStatus?

    init(_ path: RawPath, after position: RawJSON?, kernel: any FileKernel) {
        self.path = path
        self.kernel = kernel
        rotated = RotatedFiles(path, kernel: kernel)
        start = LinePosition(position).map(Start.position) ?? .end
    }

    /// The next file.
    ///
    /// - Throws: ENOENT if there is none, EAGAIN while names change, EINVAL if it is not a regular file.
    mutating func next() throws(FileError) -> Choice {
        do throws(FileError) {
            let choice = try choose()
            guard try choice.file.status.kind == .file else { throw FileError(EINVAL) }
            (start, finished) = (nil, nil)
            return choice
        } catch {
            // What is missing will be new.
            if error.errno == ENOENT, case .end = start { start = nil }
            throw error
        }
    }

    /// A file was read to its end, and is not read any more.
    mutating func ended(_ file: any OpenFile) {
        if backlog.isEmpty { finished = try? file.status }
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
        case .end: return Choice(file: try kernel.file(path), begin: .end)
        case nil:
            // Together with the log itself, which may be rotated at any time.
            var live: (any OpenFile)?
            if backlog.isEmpty, let finished { (backlog, live) = try rotated.files(after: finished) }
            if !backlog.isEmpty {
                let file = backlog.removeFirst()
                return Choice(file: file, begin: .beginning, isRotated: !backlog.isEmpty)
            }
            if let live { return Choice(file: live, begin: .beginning) }
            return Choice(file: try kernel.file(path), begin: .beginning)
        }
    }

    /// Goes on in the file of a position, wherever it is by now.
    private mutating func resume(_ position: LinePosition) throws(FileError) -> Choice {
        var live: (any OpenFile)?
        do throws(FileError) { live = try kernel.file(path) } catch {
            guard error.errno == ENOENT || error.errno == ENOTDIR else { throw error }
        }
        if let live, position.matches(live) { return Choice(file: live, begin: .position(position)) }
        if let file = try rotated.file(at: position) {
            backlog = try rotated.files(after: file.status).rotated
            // The last one may still have its writer.
            return Choice(file: file, begin: .position(position), isRotated: !backlog.isEmpty)
        }
        guard let live else {
            start = nil
            throw FileError(ENOENT)
        }
        return Choice(file: live, begin: .beginning)
    }
}
