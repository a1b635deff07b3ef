import Glibc
import Subprocess
import Synchronization
import Testing

/// A running process with its stdout and stderr in files, so that it never waits for a reader.
final class Program: Sendable {
    struct Result: Sendable {
        /// The exit status as in a shell: 128 plus the signal's number for a process that a signal ended.
        let status: Int32
        let output: String
        let error: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    let pid: pid_t
    private let outputPath: String
    private let errorPath: String
    private let ending: Task<TerminationStatus, any Error>
    private let life: Life

    /// Whether it has ended: its number may be another process's then.
    private final class Life: Sendable {
        let hasEnded = Mutex(false)
    }

    /// Starts `arguments`, the first one being the program.
    static func start(
        _ arguments: [String], environment: [String: String], outputs directory: String, name: String
    ) async throws -> Program {
        let (output, error) = ("\(directory)/\(name).out", "\(directory)/\(name).err")
        // The shell opens the files and becomes the program, with the same process id.
        let configuration = Configuration(
            executable: .name("sh"),
            arguments: Arguments(["-c", #"exec "$@" >"$RXD_TEST_OUT" 2>"$RXD_TEST_ERR""#, "sh"] + arguments),
            environment: .inherit.updating(
                Dictionary(
                    uniqueKeysWithValues: (environment.merging([
                        "RXD_TEST_OUT": output, "RXD_TEST_ERR": error,
                    ]) { $1 }).map { (Environment.Key(rawValue: $0)!, $1) })))
        let (pids, continuation) = AsyncStream.makeStream(of: pid_t.self)
        let life = Life()
        let ending = Task {
            defer {
                life.hasEnded.withLock { $0 = true }
                continuation.finish()
            }
            return try await run(configuration, input: .none, output: .discarded, error: .discarded) { execution in
                continuation.yield(execution.processIdentifier.value)
            }.terminationStatus
        }
        for await pid in pids {
            return Program(pid: pid, outputPath: output, errorPath: error, ending: ending, life: life)
        }
        _ = try await ending.value
        throw WaitedInVain(for: "the start of \(arguments)")
    }

    private init(
        pid: pid_t, outputPath: String, errorPath: String, ending: Task<TerminationStatus, any Error>, life: Life
    ) {
        self.pid = pid
        self.outputPath = outputPath
        self.errorPath = errorPath
        self.ending = ending
        self.life = life
    }

    var output: String { Files.read(outputPath) ?? "" }
    var error: String { Files.read(errorPath) ?? "" }
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Waits until its standard error has a text: a thread of its own writes what a daemon logs.
    func logs(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually("the log has: \(text)", sourceLocation: sourceLocation) { error.contains(text) }
    }

    func signal(_ number: Int32) {
        life.hasEnded.withLock { hasEnded in
            if !hasEnded { kill(pid, number) }
        }
    }

    /// Waits for the end; a process that takes too long is killed, and the test fails.
    func result(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Result {
        let watchdog = Task {
            try await Task.sleep(for: patience)
            Issue.record("process \(pid) had to be killed", sourceLocation: sourceLocation)
            signal(SIGKILL)
        }
        defer { watchdog.cancel() }
        let status: Int32 =
            switch try await ending.value {
            case .exited(let code): code
            case .signaled(let number): 128 + number
            }
        return Result(status: status, output: output, error: error)
    }

    /// Kills all processes that still run. For the end of a test.
    func reap() async {
        signal(SIGKILL)
        _ = try? await ending.value
    }
}
