internal import Glibc
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxRecords

/// A process that has just been started, with the daemon's ends of its pipes. The receiver closes them.
struct StartedProcess: Sendable {
    let process: SpawnedProcess
    let input: PendingInput
    let output: Int32
    let error: Int32
}

/// The start of one process: finds the program, opens the pipes, records the execution in the ledger, and spawns.
struct ProcessStart<System: ProcessSystem>: Sendable {
    let definition: ProcessDefinition
    /// The program and its arguments.
    let arguments: [ResolvedArgument]
    let invocation: Invocation
    let context: ProcessContext<System>

    /// The execution's id.
    var id: String { invocation.context.id.description }

    /// Starts the process. Looking for the program may block.
    ///
    /// - Parameters:
    ///   - started: called once, on any thread, if the process exists.
    ///   - ended: called once, on any thread: with the status after the process has been reaped; or, without a call of
    ///     `started`, with the reason why the process cannot be started.
    func run(
        started: @escaping @Sendable (StartedProcess) -> Void,
        ended: @escaping @Sendable (Result<ProcessStatus, WorkFailure>) -> Void
    ) {
        var files: [String] = []
        do throws(InputFileError) {
            let texts = try texts(writing: &files)
            run(texts, started: started) { [files] result in
                context.inputFiles?.remove(files)
                ended(result)
            }
        } catch {
            context.inputFiles?.remove(files)
            ended(.failure(.notWritten(error)))
        }
    }

    /// The arguments as texts, with a new file for each of those that are paths.
    ///
    /// - Parameter files: gets the paths of the new files, also if one of them fails.
    private func texts(writing files: inout [String]) throws(InputFileError) -> [String] {
        var texts: [String] = []
        for argument in arguments {
            switch argument {
            case .text(let text): texts.append(text)
            case .file(let content):
                guard let inputFiles = context.inputFiles else { throw InputFileError(path: "", code: ENOENT) }
                let name = "\(id)-\(invocation.attempt)-\(texts.count)"
                let path = try inputFiles.write(content, name: name)
                files.append(path)
                texts.append(path)
            }
        }
        return texts
    }

    private func run(
        _ arguments: [String], started: @escaping @Sendable (StartedProcess) -> Void,
        ended: @escaping @Sendable (Result<ProcessStatus, WorkFailure>) -> Void
    ) {
        let system = context.system
        let lookup = ProgramLookup(
            files: system.files, cwd: definition.cwd,
            path: context.environment.path(adding: definition.environment))
        let program: String
        switch lookup.find(arguments[0]) {
        case .success(let path): program = path
        case .failure(let failure): return ended(.failure(.notStarted(failure)))
        }
        let pipes: StandardPipes
        switch StandardPipes.open(in: system.pipes) {
        case .success(let opened): pipes = opened
        case .failure(let error):
            return ended(.failure(.notStarted(StartFailure(code: error.code, path: program))))
        }
        let bytes = definition.hasInput ? invocation.input.utf8 + [UInt8(ascii: "\n")] : []
        let input = PendingInput(pipes.input, bytes: bytes, in: system.pipes)
        let entry = context.ledger?.begin(execution: id)
        system.spawner.spawn(plan(program, arguments, pipes)) { process in
            // A line without a process is enough to find it: its environment names the execution.
            entry?.record(process.pid, startTime: (try? system.sessions.entry(process.pid))?.startTime)
            started(
                StartedProcess(
                    process: process, input: input, output: pipes.output.readEnd, error: pipes.error.readEnd))
        } ended: { result in
            entry?.end()
            ended(
                result.mapError { error in
                    input.close(in: system.pipes)
                    system.pipes.close(pipes.output.readEnd)
                    system.pipes.close(pipes.error.readEnd)
                    return .notStarted(lookup.explain(error.code, starting: program))
                })
        }
    }

    private func plan(_ program: String, _ arguments: [String], _ pipes: StandardPipes) -> SpawnPlan {
        SpawnPlan(
            program: program, arguments: arguments,
            environment: context.environment.entries(
                adding: definition.environment, action: invocation.action, execution: id, attempt: invocation.attempt,
                ledger: context.ledger?.name, slot: invocation.causes.slot),
            cwd: definition.cwd, input: pipes.input.readEnd, output: pipes.output.writeEnd, error: pipes.error.writeEnd)
    }
}
