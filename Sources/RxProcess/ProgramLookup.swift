internal import Glibc

/// The reason why a program cannot be started: an errno and the path that it concerns.
struct StartFailure: Error, Equatable {
    let code: Int32
    let path: String
    /// The script, if `path` is its interpreter.
    var script: String?
}

/// Finds the program to start, or the exact errno. A failed start alone does not distinguish a missing program from one
/// that is not executable, or a missing directory from a missing program.
struct ProgramLookup {
    /// The working directory; nil for the daemon's own.
    let cwd: String?
    /// Directories separated by colons. Only absolute ones are searched.
    let path: String

    /// How many bytes of a script's first line the kernel reads (BINPRM_BUF_SIZE).
    private static let scriptHeadBytes = 256

    /// Returns the path to start: unchanged if it contains a slash, otherwise the first executable match in `path`.
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
            // Like a shell, prefer an error about a file that exists but is not executable.
            if code == EACCES && first == nil && access(candidate, F_OK) == 0 {
                first = StartFailure(code: code, path: candidate)
            }
        }
        return .failure(first ?? StartFailure(code: ENOENT, path: program))
    }

    /// Explains why starting an existing program failed with `code`. Also checks the interpreter on its first line.
    func explain(_ code: Int32, starting program: String) -> StartFailure {
        if case .failure(let failure) = find(program) { return failure }
        guard code == ENOENT || code == EACCES || code == ENOTDIR || code == ELOOP,
            let interpreter = Self.interpreter(of: seenFromHere(program)),
            let found = Self.programError(seenFromHere(interpreter))
        else { return StartFailure(code: code, path: program) }
        return StartFailure(code: found, path: interpreter, script: program)
    }

    /// Resolves a relative path against the working directory of the process.
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

    /// The error that execve(2) would report for the file itself; EACCES for a directory or a device.
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
