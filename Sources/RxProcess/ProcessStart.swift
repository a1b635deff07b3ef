internal import Glibc
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxRecords
internal import Subprocess
internal import SystemPackage

/// A process that has just been started, with the daemon's ends of its pipes. The receiver closes them.
struct StartedProcess: Sendable {
    let pid: pid_t
    /// A pidfd, which becomes readable when the process ends. Valid until the process is reaped.
    let descriptor: Int32
    let input: PendingInput
    let output: Int32
    let error: Int32
}

/// The start of one process: finds the program, opens the pipes, records the execution in the ledger, and spawns.
struct ProcessStart: Sendable {
    let definition: ProcessDefinition
    /// The program and its arguments.
    let arguments: [String]
    let invocation: Invocation
    let services: ProcessServices

    private var id: String { invocation.context.id.description }

    /// Starts the process, calls `body`, and reaps the process after `body` has returned.
    ///
    /// - Returns: the exit status; or a failure, without a call of `body`, if the process cannot be started.
    func run(
        _ body: @escaping @Sendable (StartedProcess) async -> Void
    ) async -> Result<TerminationStatus, WorkFailure> {
        let lookup = ProgramLookup(
            cwd: definition.cwd, path: services.environment.path(adding: definition.environment))
        let program: String
        switch lookup.find(arguments[0]) {
        case .success(let path): program = path
        case .failure(let failure): return .failure(.notStarted(failure))
        }
        let pipes: StandardPipes
        switch StandardPipes.open() {
        case .success(let opened): pipes = opened
        case .failure(let error):
            return .failure(.notStarted(StartFailure(code: error.code, path: program)))
        }
        let input = PendingInput(pipes.input, bytes: invocation.input.utf8 + [UInt8(ascii: "\n")])
        let entry = services.ledger?.begin(execution: id)
        defer { entry?.end() }
        let result = await spawn(program, pipes) { pid, descriptor in
            entry?.record(pid)
            await body(
                StartedProcess(
                    pid: pid, descriptor: descriptor, input: input, output: pipes.output.readEnd,
                    error: pipes.error.readEnd))
        }
        return result.mapError { error in
            input.close()
            close(pipes.output.readEnd)
            close(pipes.error.readEnd)
            let code = error.underlyingError?.rawValue ?? ENOENT
            return .notStarted(lookup.explain(code, starting: program))
        }
    }

    private func spawn(
        _ program: String, _ pipes: StandardPipes, _ body: @escaping @Sendable (pid_t, Int32) async -> Void
    ) async -> Result<TerminationStatus, SubprocessError> {
        var options = PlatformOptions()
        // This creates a group as well.
        options.createSession = true
        let configuration = Subprocess.Configuration(
            executable: .path(FilePath(program)),
            arguments: Arguments(executablePathOverride: arguments[0], remainingValues: Array(arguments.dropFirst())),
            environment: .custom(
                services.environment.entries(
                    adding: definition.environment, action: invocation.action, execution: id,
                    attempt: invocation.attempt)),
            workingDirectory: definition.cwd.map { FilePath($0) },
            platformOptions: options)
        do {
            let result = try await Subprocess.run(
                configuration,
                input: .fileDescriptor(FileDescriptor(rawValue: pipes.input.readEnd), closeAfterSpawningProcess: true),
                output: .fileDescriptor(
                    FileDescriptor(rawValue: pipes.output.writeEnd), closeAfterSpawningProcess: true),
                error: .fileDescriptor(
                    FileDescriptor(rawValue: pipes.error.writeEnd), closeAfterSpawningProcess: true)
            ) { execution in
                let process = execution.processIdentifier
                await body(process.value, process.processDescriptor)
            }
            return .success(result.terminationStatus)
        } catch let error as SubprocessError {
            return .failure(error)
        } catch {
            // The closure cannot throw.
            preconditionFailure("\(error)")
        }
    }
}
