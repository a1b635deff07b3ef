internal import Glibc
public import Logging
internal import RxAction
public import RxHost
public import RxLoop
package import RxPlatform
public import RxProtocol
internal import RxRecords
public import Systemd
internal import UnixSocket

/// Serves a host on a Unix socket until a signal ends it: event loop, listener, server, systemd, and signals.
///
/// `HostDaemon.serve` is the whole `main` of a program that hosts its own actions and reactors. A program that needs
/// more (rxd reads a configuration) makes the loop and the host itself and calls `run(_:)`.
///
/// SIGTERM and SIGINT stop the daemon: it takes no more clients, cancels what executes, ends every subscription, and
/// returns from `run`. A second such signal, or `stopTimeout`, ends it at once. SIGHUP calls `onReload`; without one it
/// stops the daemon too.
///
/// `run`'s closure and `onForcedEnd` are called on the thread that serves, `onReload` on a queue of its own.
// Unchecked: the mutable fields are set before `run`, and then belong to the loop's thread.
public final class HostDaemon: @unchecked Sendable {
    public struct Options: Sendable {
        /// Where to listen, unless systemd passed a socket.
        public var socket: String
        /// The mode of that socket: by default, its user and its group may connect.
        public var socketMode: UInt32 = 0o660
        /// The gid of that socket's group; nil for the group of the process.
        public var socketGroup: UInt32?
        public var limits = Limits()
        /// Who may `manage` the daemon itself, besides root and its own user.
        public var access = Access()
        /// Whom to ask for a right; errors name it.
        public var contact: String?
        /// Longest a stopping daemon waits for executions to end.
        public var stopTimeout = Duration.seconds(10)
        /// What `server.status` reports of where the daemon's files are.
        public var directories = DaemonDirectories()

        /// The right to the socket, once it is taken.
        var claim: SocketClaim?

        public init(socket: String) { self.socket = socket }

        /// Takes the right to the socket, unless systemd passed one, so that a daemon that cannot listen does not open
        /// its state. Without this, `run` takes it.
        ///
        /// - Parameters:
        ///   - manager: what systemd passed.
        ///   - state: the directory of the state; nil without one.
        ///   - disk: has the state.
        /// - Throws: why the daemon cannot listen; of a daemon that has both the socket and the state, that it has the
        ///   state.
        package mutating func claimSocket(
            unlessPassedBy manager: ServiceManager, state: String?, on disk: Disk
        ) throws {
            guard manager.sockets.isEmpty else { return }
            do throws(SocketError) {
                claim = try SocketClaim(socket)
            } catch {
                if case .inUse = error, let state { try StateDirectory.checkFree(state, on: disk) }
                throw error
            }
        }
    }

    /// Time that clients get to read their last lines once everything has ended.
    private static let lastLinesLimit = Duration.seconds(1)

    public let host: Host
    public let rights: Rights
    public var stopTimeout: Duration
    /// Reads the configuration again, for SIGHUP and `server.reload`. Set it before `run`; without it, the method is
    /// refused. The loop goes on meanwhile; one reload is carried out at a time.
    public var onReload: ReloadQueue.Reload?
    /// Called when the daemon begins to stop; it waits for the completion, within `stopTimeout`.
    public var onStop: ((_ completion: @escaping @Sendable () -> Void) -> Void)?
    /// Called when the daemon ends without waiting for what still executes.
    public var onForcedEnd: (() -> Void)?

    /// What else must make progress for the daemon to be of use, for systemd's watchdog. Set it before `run`.
    public var vitalParts: [Watchdog.Party] = []

    private var options: Options
    private let loop: EventLoop
    private let manager: ServiceManager
    private let logger: Logger
    private var server: Server!
    private var listener: Listener!
    private var watchdog: Watchdog?
    private var isStopping = false
    private var reloads: ReloadQueue?
    private var hangUps: HangUps?

    /// A daemon that serves `host` in `loop`, whose thread starts in `run`.
    public init(host: Host, loop: EventLoop, options: Options, manager: ServiceManager, logger: Logger) {
        self.host = host
        self.loop = loop
        self.options = options
        self.manager = manager
        self.logger = logger
        stopTimeout = options.stopTimeout
        rights = Rights(owner: getuid(), server: options.access, contact: options.contact)
        host.platform.signals.ignore(SIGPIPE)
    }

    // MARK: Running

    /// Serves until a signal ends the daemon.
    ///
    /// - Parameters:
    ///   - start: starts the host's work before the first client is served; `startWork` unless given.
    ///   - prepare: does what may refuse the start, before the daemon listens. Nothing unless given.
    /// - Throws: what `prepare` and `start` throw, and why the daemon cannot listen.
    public func run(
        _ start: ((HostDaemon) throws -> Void)? = nil, preparing prepare: ((HostDaemon) throws -> Void)? = nil
    ) throws {
        let signals = try loop.watch(signals: [SIGTERM, SIGINT, SIGHUP]) { [unowned self] in self.receive($0) }
        defer { signals.cancel() }
        try prepare?(self)
        // Before any work, which would begin in vain. Clients wait in the kernel's queue until the loop starts.
        listener = try makeListener()
        do {
            if let start { try start(self) } else { try startWork() }
        } catch {
            listener.close(unlink: true)
            throw error
        }
        reloads = onReload.map { ReloadQueue(on: host.platform.queues.serial("rxd.reload"), $0) }
        hangUps = reloads.map { HangUps($0) }
        server = Server(
            host: host, loop: loop, limits: options.limits, rights: rights, logger: logger, reloads: reloads,
            directories: options.directories)
        listener.onAccept = { [server] in server!.accept($0) }
        startWatchdog()
        loop.execute { [self] in
            logger.notice("ready with \(statusText) on \(options.socket)")
            manager.notifier.ready(status: statusText)
            host.beginUpkeep(logger)
        }
        loop.start(name: "rxd.loop")
        loop.join()
        server.join()
    }

    /// Starts the reactors, then what an earlier daemon left unfinished: reactors merge its elements.
    public func startWork() throws {
        try host.startReactors()
        logger.log(resuming: host.resume(), at: host.time)
    }

    private func makeListener() throws -> Listener {
        guard let inherited = manager.sockets.first else {
            // From now on, the right is the listener's.
            let claim = try options.claim.take() ?? SocketClaim(options.socket)
            return try Listener(binding: claim, mode: options.socketMode, group: options.socketGroup, loop: loop)
        }
        for extra in manager.sockets.dropFirst() {
            logger.warning("the socket \(extra.name) is not used: the daemon listens on one socket")
            close(extra.fileDescriptor)
        }
        return try Listener(adopting: inherited.fileDescriptor, loop: loop)
    }

    private var statusText: String {
        func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        let reactors = host.registry.reactors.count
        return counted(host.registry.actions.count, "action")
            + (reactors == 0 ? "" : ", " + counted(reactors, "reactor"))
    }

    /// Feeds systemd's watchdog only while all that the service depends on makes progress.
    private func startWatchdog() {
        guard let interval = manager.watchdogInterval else { return }
        watchdog = Watchdog(
            interval: interval, parties: host.vitalParts(loop: loop, workers: server.workers) + vitalParts,
            queues: host.platform.queues, feed: { [manager] in manager.notifier.watchdog() },
            onStall: { [logger] in logger.warning("no progress for some seconds: \($0)") })
        watchdog?.start()
    }

    // MARK: Signals

    private func receive(_ signal: Int32) {
        if signal == SIGHUP, onReload != nil {
            if !isStopping { reload() }
        } else {
            isStopping ? end("a second signal") : stop()
        }
    }

    /// Reports READY when no reload because of a signal is left.
    private func reload() {
        guard let hangUps else { return }
        if hangUps.isIdle { manager.notifier.reloading() }
        hangUps.add { [loop] result in
            loop.execute { [unowned self] in self.hangUpEnded(result) }
        }
    }

    private func hangUpEnded(_ result: Result<RegistryChange, ReloadFailure>) {
        guard let hangUps, hangUps.end(), !isStopping else { return }
        switch result {
        case .success: manager.notifier.ready(status: statusText)
        case .failure: manager.notifier.ready(status: "\(statusText); the new configuration was refused")
        }
    }

    /// For what follows the end of `stopTimeout`: closing the databases.
    private static let timeAfterStop = Duration.seconds(30)

    /// Takes no more clients and no more input, cancels what executes, and ends within `stopTimeout`.
    private func stop() {
        isStopping = true
        manager.notifier.stopping()
        // The manager's own limit may be shorter.
        manager.notifier.extendTimeout(by: stopTimeout + Self.timeAfterStop)
        logger.notice("stopping")
        listener.close(unlink: manager.sockets.isEmpty)
        loop.schedule(after: stopTimeout) { [unowned self] in self.end("the stop took too long") }
        let stopped = Countdown(3) { [loop] in
            loop.execute { [unowned self] in self.closeConnections() }
        }
        if let reloads { reloads.stop { stopped.count() } } else { stopped.count() }
        if let onStop { onStop { stopped.count() } } else { stopped.count() }
        host.stop { stopped.count() }
    }

    private func closeConnections() {
        loop.schedule(after: Self.lastLinesLimit) { [loop] in loop.stop() }
        server.stop { [loop] in loop.stop() }
    }

    /// Ends now, whatever still executes.
    private func end(_ reason: String) {
        for execution in host.log.executions() where !execution.state.isFinal {
            logger.warning(
                "left behind: \(reason)",
                metadata: ["action": "\(execution.action)", "execution": "\(execution.id)"])
        }
        onForcedEnd?()
        // The loop's last turn still writes what clients take at once, such as the end of their subscriptions.
        server.stop(atOnce: true) {}
        loop.stop()
    }
}
