internal import Glibc

/// Why a program cannot be started, as its errno and the path it is about.
struct StartFailure: Error, Equatable {
    let code: Int32
    let path: String
    /// The script, when `path` is its interpreter.
    var script: String?
}

/// Finds the program to start, and the true errno when there is none: starting alone does not tell a missing program
/// from one that is not executable, nor a missing directory from a missing program.
struct ProgramLookup {
    /// Nil: the daemon's own directory.
    let cwd: String?
    /// Directories separated by colons; only absolute ones are searched.
    let path: String

    /// Longest first line of a script that the kernel looks at (BINPRM_BUF_SIZE).
    private static let scriptHeadBytes = 256

    /// The path to start: as it was written if it has a slash, else the first one on `path` that can be executed.
    func find(_ program: String) -> Result<String, StartFailure> {
        if let cwd, let code = Self.directoryError(cwd) { return .failure(StartFailure(code: code, path: cwd)) }
        if program.contains("/") {
            if let code = Self.programError(seenFromHere(program)) {
                return .failure(StartFailure(code: code, path: program))
            }
            return .success(program)
        }
        var first: StartFailure?
        for directory in path.split(separator: ":") where directory.hasPrefix("/") {
            let candidate = "\(directory)/\(program)"
            guard let code = Self.programError(candidate) else { return .success(candidate) }
            // As a shell does: one that is there but cannot be executed is the better answer.
            if code == EACCES && first == nil && access(candidate, F_OK) == 0 {
                first = StartFailure(code: code, path: candidate)
            }
        }
        return .failure(first ?? StartFailure(code: ENOENT, path: program))
    }

    /// Why starting a program that was found failed with `code`, looking at what its first line asks for.
    func explain(_ code: Int32, starting program: String) -> StartFailure {
        if case .failure(let failure) = find(program) { return failure }
        guard code == ENOENT || code == EACCES || code == ENOTDIR || code == ELOOP,
            let interpreter = Self.interpreter(of: seenFromHere(program)),
            let found = Self.programError(seenFromHere(interpreter))
        else { return StartFailure(code: code, path: program) }
        return StartFailure(code: found, path: interpreter, script: program)
    }

    /// A relative path is the process's, and so relative to its directory.
    private func seenFromHere(_ program: String) -> String {
        guard let cwd, !program.hasPrefix("/") else { return program }
        return "\(cwd)/\(program)"
    }

    private static func directoryError(_ path: String) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno }
        guard status.st_mode & S_IFMT == S_IFDIR else { return ENOTDIR }
        return access(path, X_OK) == 0 ? nil : errno
    }

    /// What execve(2) would say about the file itself; directories and devices are EACCES to it.
    private static func programError(_ path: String) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno }
        guard status.st_mode & S_IFMT == S_IFREG else { return EACCES }
        return access(path, X_OK) == 0 ? nil : errno
    }

    private static func interpreter(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: scriptHeadBytes)
        let count = read(descriptor, &head, head.count)
        guard count > 2, head.starts(with: "#!".utf8) else { return nil }
        let line = head[2..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
        let word = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.first
        return word.map { String(decoding: $0, as: UTF8.self) }
    }
}
