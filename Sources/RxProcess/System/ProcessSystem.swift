internal import RxLoop
internal import RxPlatform

/// The outside world of this module: everything that an execution needs of the kernel, the clock, and other threads.
///
/// `LinuxSystem` is the real one. Each part is a small protocol with its implementation, in a file of this folder. A
/// test with a system of its own runs executions on one thread, in virtual time, and without processes.
///
/// No other file of the module makes a system call, starts a task, or reads a clock, with three exceptions, which
/// belong to the daemon: the file of the ledger (`ProcessLedger`, `LedgerFile`), the directory of files with parts of
/// inputs (`InputFiles`), and the inherited environment (`ProcessEnvironment`). `.ci/outside` lists them.
protocol ProcessSystem: Sendable {
    associatedtype Loop: ProcessLoop
    associatedtype Background: BackgroundWork
    associatedtype Files: ProgramFiles
    associatedtype Pipes: PipeSystem
    associatedtype Spawner: ProcessSpawner
    associatedtype Sessions: SessionSystem

    /// The thread that owns an execution while its process exists, and its timers.
    var loop: Loop { get }
    /// Other threads, for work that may block.
    var background: Background { get }
    /// The file system, as far as finding programs requires it.
    var files: Files { get }
    /// Pipes between the daemon and its processes.
    var pipes: Pipes { get }
    /// Starting and reaping processes.
    var spawner: Spawner { get }
    /// Signals, and the table of processes.
    var sessions: Sessions { get }
}

/// The machine that the daemon runs on.
struct LinuxSystem: ProcessSystem {
    let loop: LinuxLoop
    let background: BlockingThreads
    let files = LinuxFiles()
    let pipes = LinuxPipes()
    let spawner = LinuxSpawner()
    let sessions = LinuxSessions()

    /// The machine, with the clock and the threads of `platform`.
    init(loop: EventLoop, platform: Platform) {
        self.loop = LinuxLoop(loop: loop, clock: platform.monotonicClock)
        background = BlockingThreads(platform.queues)
    }
}
