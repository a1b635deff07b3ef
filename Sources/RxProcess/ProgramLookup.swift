internal import Glibc

/// The reason why a program cannot be started: an errno and the path that it concerns.
struct StartFailure: Error, Equatable {
    let code: Int32
    let path: String
    /// The script, if `path` is its interpreter.
    var script: String?
    /// Whether `path` is the working directory.
    var isDirectory = false
}

/// Finds the program to start, or the exact errno. A failed start alone does not distinguish a missing program from one
/// that is not executable, or a missing directory from a missing program.
struct ProgramLookup<Files: ProgramFiles> {
    let files: Files
    /// The working directory; nil for the daemon's own.
    let cwd: String?
    /// Directories separated by colons. Only absolute ones are searched.
    let path: String

    /// Returns the path to start: unchanged if it contains a slash, otherwise the first executable match in `path`.
    func find(_ program: String) -> Result<String, StartFailure> {
        if let cwd, let code = files.directoryError(cwd) {
            return .failure(StartFailure(code: code, path: cwd, isDirectory: true))
        }
        if program.contains("/") {
            if let code = files.programError(seenFromHere(program)) {
                return .failure(StartFailure(code: code, path: program))
            }
            return .success(program)
        }
        var first: StartFailure?
        for directory in path.split(separator: ":") where directory.hasPrefix("/") {
            let candidate = "\(directory)/\(program)"
            guard let code = files.programError(candidate) else { return .success(candidate) }
            // Like a shell, prefer an error about a file that exists but is not executable.
            if code == EACCES && first == nil && files.exists(candidate) {
                first = StartFailure(code: code, path: candidate)
            }
        }
        return .failure(first ?? StartFailure(code: ENOENT, path: program))
    }

    /// Explains why starting an existing program failed with `code`. Also checks the interpreter on its first line.
    func explain(_ code: Int32, starting program: String) -> StartFailure {
        if case .failure(let failure) = find(program) { return failure }
        guard code == ENOENT || code == EACCES || code == ENOTDIR || code == ELOOP,
            let interpreter = interpreter(of: seenFromHere(program)),
            let found = files.programError(seenFromHere(interpreter))
        else { return StartFailure(code: code, path: program) }
        return StartFailure(code: found, path: interpreter, script: program)
    }

    /// Resolves a relative path against the working directory of the process.
    private func seenFromHere(_ program: String) -> String {
        guard let cwd, !program.hasPrefix("/") else { return program }
        return "\(cwd)/\(program)"
    }

    private func interpreter(of path: String) -> String? {
        guard let head = files.head(of: path, atMost: scriptHeadBytes), head.starts(with: "#!".utf8) else { return nil }
        let line = head[2...].prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
        let word = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.first
        return word.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// How many bytes of a script's first line the kernel reads (BINPRM_BUF_SIZE).
private let scriptHeadBytes = 256
