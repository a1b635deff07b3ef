internal import RxPlatform

/// What is known of a program before it is started: whether it is there and may be executed, as of now.
package struct ProgramCheck: Sendable {
    private let environment: ProcessEnvironment
    private let files = LinuxFiles()

    /// - Parameter environment: where PATH comes from.
    package init(environment: ProcessEnvironment = .inherited) { self.environment = environment }

    /// Why a working directory cannot be used; nil if it can.
    package func problem(ofDirectory path: String) -> String? {
        files.directoryError(path).map { "\(path) cannot be used: \(SystemErrorName.text(of: $0))" }
    }

    /// Why a program cannot be started; nil if it can.
    ///
    /// - Parameters:
    ///   - cwd: the working directory, for a relative path; nil for the daemon's own, or one that cannot be used.
    ///   - variables: the variables that the configuration adds; PATH may be among them.
    package func problem(of program: String, cwd: String?, adding variables: [String: String]) -> String? {
        let path = environment.path(adding: variables)
        let usable = cwd.flatMap { files.directoryError($0) == nil ? $0 : nil }
        guard case .failure(let failure) = ProgramLookup(files: files, cwd: usable, path: path).find(program) else {
            return nil
        }
        if !program.contains("/"), failure.path == program { return "there is no program \(program) in PATH (\(path))" }
        return "\(failure.path) cannot be executed: \(SystemErrorName.text(of: failure.code))"
    }
}
