internal import RxRecords
internal import Glibc
internal import Rx
internal import RxHost
internal import RxJSON
internal import Subprocess
internal import Synchronization
internal import SystemPackage
internal import RxLoop

/// The task of an execution: finds and starts the program, waits until the loop reports its end, and notifies the
/// observer.
extension ProcessExecution {
    func execute() async {
        guard !isUnwanted.load(ordering: .relaxed) else { return observer.onError(WorkFailure.cancelledBeforeStart) }
        let lookup = ProgramLookup(
            cwd: definition.cwd, path: launcher.environment.path(adding: definition.environment))
        let program: String
        switch lookup.find(arguments[0]) {
        case .success(let path): program = path
        case .failure(let failure): return observer.onError(WorkFailure.notStarted(failure))
        }
        let pipes: StandardPipes
        switch StandardPipes.open() {
        case .success(let opened): pipes = opened
        case .failure(let error):
            return observer.onError(WorkFailure.notStarted(StartFailure(code: error.code, path: program)))
        }
        input = PipeWriter(pipes.input, bytes: invocation.input.utf8 + [UInt8(ascii: "\n")])
        output = .unwatched(pipes.output.readEnd)
        error = .unwatched(pipes.error.readEnd)
        let entry = launcher.ledger?.begin(execution: id)
        let result = await spawn(program, pipes, entry)
        entry?.end()
        switch result {
        case .success(let status): finish(status)
        case .failure(let error):
            output = closed(output)
            self.error = closed(self.error)
            input?.close()
            let code = error.underlyingError?.rawValue ?? ENOENT
            observer.onError(WorkFailure.notStarted(lookup.explain(code, starting: program)))
        }
    }

    private func spawn(
        _ program: String, _ pipes: StandardPipes, _ entry: ProcessLedger.Entry?
    ) async -> Result<TerminationStatus, SubprocessError> {
        var options = PlatformOptions()
        // This creates a group as well.
        options.createSession = true
        let configuration = Subprocess.Configuration(
            executable: .path(FilePath(program)),
            arguments: Arguments(executablePathOverride: arguments[0], remainingValues: Array(arguments.dropFirst())),
            environment: .custom(
                launcher.environment.entries(
                    adding: definition.environment, action: invocation.action, execution: id,
                    attempt: invocation.attempt)),
            workingDirectory: definition.cwd.map { FilePath($0) },
            platformOptions: options)
        do {
            let result = try await run(
                configuration,
                input: .fileDescriptor(FileDescriptor(rawValue: pipes.input.readEnd), closeAfterSpawningProcess: true),
                output: .fileDescriptor(
                    FileDescriptor(rawValue: pipes.output.writeEnd), closeAfterSpawningProcess: true),
                error: .fileDescriptor(
                    FileDescriptor(rawValue: pipes.error.writeEnd), closeAfterSpawningProcess: true)
            ) { execution in
                let process = execution.processIdentifier
                entry?.record(process.value)
                await withCheckedContinuation { end in
                    launcher.loop.execute { self.begin(process.value, process.processDescriptor, end) }
                }
                await endRest(of: ProcessSession(leader: process.value))
            }
            return .success(result.terminationStatus)
        } catch let error as SubprocessError {
            return .failure(error)
        } catch {
            // The closure cannot throw.
            preconditionFailure("\(error)")
        }
    }

    private func finish(_ status: TerminationStatus) {
        if isLeftBehind {
            // The end was already reported.
        } else if let failure {
            observer.onError(failure.adding(standardError: errors.tail))
        } else if status.isSuccess {
            observer.onCompleted()
        } else {
            observer.onError(WorkFailure.ended(status, standardError: errors.tail))
        }
    }
}
