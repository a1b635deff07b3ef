internal import Dispatch
internal import Glibc
internal import Subprocess
internal import SystemPackage

/// Starting and reaping processes.
protocol ProcessSpawner: Sendable {
    /// Starts a process, and closes its ends of the pipes in the daemon, whatever comes of it. Returns at once; both
    /// closures are called on any thread.
    ///
    /// - Parameters:
    ///   - started: called once if the process exists.
    ///   - ended: called once: with the status after the process has been reaped; or, if and only if `started` is not
    ///     called, with the errno of the start.
    func spawn(
        _ plan: SpawnPlan, started: @escaping @Sendable (SpawnedProcess) -> Void,
        ended: @escaping @Sendable (Result<ProcessStatus, SpawnError>) -> Void)
}

/// What to spawn. The process leads a session and a group of its own, has default signal dispositions and an empty
/// mask, and inherits only the three descriptors.
struct SpawnPlan: Sendable {
    /// The path of the program.
    var program: String
    /// The arguments, from argv[0].
    var arguments: [String]
    /// `NAME=value`, each with a final NUL.
    var environment: [[UInt8]]
    /// The working directory; nil for the daemon's own.
    var cwd: String?
    /// The ends of the pipes for the process.
    var input: Int32
    var output: Int32
    var error: Int32
}

struct SpawnedProcess: Sendable {
    let pid: pid_t
    /// A pidfd, which becomes readable when the process ends. Valid until `reap`.
    let descriptor: Int32
    /// Lets the process be reaped as soon as it has ended, so that its pid can be reused. Called once.
    let reap: @Sendable () -> Void
}

struct SpawnError: Error, Equatable {
    let code: Int32
}

/// How a process ended.
enum ProcessStatus: Sendable, Equatable {
    case exited(Int32)
    case signaled(Int32)
    /// It has ended, but nobody knows how. The errno of asking.
    case unknown(Int32)
}

/// swift-subprocess.
struct LinuxSpawner: ProcessSpawner {
    /// Makes swift-subprocess open the descriptors that it opens with the first process and keeps: two epoll sets, each
    /// with an eventfd. Without them it could never report the end of a process. Blocks for about a millisecond.
    static func openDescriptors() {
        let opened = DispatchSemaphore(value: 0)
        Task.detached {
            // Nothing is started: a directory cannot be executed.
            _ = try? await Subprocess.run(.path("/"), output: .discarded, error: .discarded)
            opened.signal()
        }
        opened.wait()
    }

    func spawn(
        _ plan: SpawnPlan, started: @escaping @Sendable (SpawnedProcess) -> Void,
        ended: @escaping @Sendable (Result<ProcessStatus, SpawnError>) -> Void
    ) {
        Task.detached { ended(await run(plan, started)) }
    }

    private func run(
        _ plan: SpawnPlan, _ started: @escaping @Sendable (SpawnedProcess) -> Void
    ) async -> Result<ProcessStatus, SpawnError> {
        var options = PlatformOptions()
        // This creates a group as well.
        options.createSession = true
        let configuration = Subprocess.Configuration(
            executable: .path(FilePath(plan.program)),
            arguments: Arguments(
                executablePathOverride: plan.arguments[0], remainingValues: Array(plan.arguments.dropFirst())),
            environment: .custom(plan.environment), workingDirectory: plan.cwd.map { FilePath($0) },
            platformOptions: options)
        var isStarted = false
        do {
            let result = try await Subprocess.run(
                configuration,
                input: .fileDescriptor(FileDescriptor(rawValue: plan.input), closeAfterSpawningProcess: true),
                output: .fileDescriptor(FileDescriptor(rawValue: plan.output), closeAfterSpawningProcess: true),
                error: .fileDescriptor(FileDescriptor(rawValue: plan.error), closeAfterSpawningProcess: true)
            ) { execution in
                let process = execution.processIdentifier
                isStarted = true
                await withCheckedContinuation { continuation in
                    started(
                        SpawnedProcess(
                            pid: process.value, descriptor: process.processDescriptor,
                            reap: { continuation.resume() }))
                }
            }
            switch result.terminationStatus {
            case .exited(let code): return .success(.exited(code))
            case .signaled(let signal): return .success(.signaled(signal))
            }
        } catch let error as SubprocessError {
            let code = error.underlyingError?.rawValue ?? ENOENT
            // After the start, the pipes belong to the execution: it is not a failure of the start.
            return isStarted ? .success(.unknown(code)) : .failure(SpawnError(code: code))
        } catch {
            // The closure cannot throw.
            preconditionFailure("\(error)")
        }
    }
}
