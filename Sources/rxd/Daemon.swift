internal import RxConfiguration
internal import RxJq
internal import RxProcess
internal import RxRecords
internal import RxStore
internal import Dispatch
internal import Glibc
internal import Logging
internal import Rx
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxServer
internal import Systemd
internal import RxLoop
internal import UnixSocket

/// The life of the daemon: it owns the host, the loop, the listener and the server, and reacts to signals.
///
/// Everything after `run` has begun happens on the loop's thread.
// Unchecked: what changes is reached on the loop's thread alone.
final class Daemon: @unchecked Sendable {
    struct Places {
        /// Where it is unless an option says otherwise; only this one may be missing.
        static let defaultConfiguration = "/etc/rxd"

        let configuration: String
        let socket: String
        let state: String
    }

    /// Time that clients get to read their last lines once everything has ended.
    static let lastLinesLimit = Duration.seconds(1)

    private let places: Places
    private let manager: ServiceManager
    private let logger = Logger(label: "rxd")
    private let loop: EventLoop
    private let ledger: ProcessLedger
    private let processes: ProcessServices
    private let store: ExecutionStore
    /// Only where a reactor persists: to open it takes time.
    private var stateStore: StateStore?
    private let conditions: ConditionMonitor
    private let jqHost = LiveHost()
    private let host: Host
    private var configuration: Configuration
    private var server: Server!
    private var listener: Listener!
    private var watchdog: Watchdog?
    private var isStopping = false

    init(places: Places, configuration: Configuration, manager: ServiceManager) throws {
        self.places = places
        self.manager = manager
        self.configuration = configuration
        signal(SIGPIPE, SIG_IGN)
        loop = try EventLoop()
        ledger = try ProcessLedger(stateDirectory: places.state)
        processes = ProcessServices(loop: loop, ledger: ledger, log: ProcessNote.sink(to: logger))
        let logger = logger
        store = try ExecutionStore(
            path: places.state + "/rxd.db", retention: configuration.retention,
            onFailure: { logger.error("the state could not be written: \($0)") })
        stateStore = try configuration.hasPersistentReactors ? places.openStateStore(logger) : nil
        host = Host(
            configuration.definitions(processes: processes),
            reactors: configuration.reactorDefinitions(host: jqHost), store: store,
            stateStore: stateStore,
            keys: configuration.keyLimits, replay: configuration.replayLimits,
            onEnd: { logger.log(ending: $0) }, onRetry: { logger.log(retrying: $0) },
            onReactorFault: { reactor, fault in
                logger.warning(
                    "a reactor failed: \(fault.message)",
                    metadata: ["reactor": "\(reactor)", "stage": "\(fault.stage.rawValue)"])
            })
        jqHost.enter(host)
        conditions = ConditionMonitor(host: host, jqHost: jqHost)
    }

    /// Serves until a signal says to stop.
    func run() throws {
        let signals = try loop.watch(signals: [SIGTERM, SIGINT, SIGHUP]) { [unowned self] in self.receive($0) }
        defer { signals.cancel() }
        for execution in ledger.endOrphans() {
            logger.warning(
                "ended processes that an earlier daemon left behind", metadata: ["execution": "\(execution)"])
        }
        if !NamespaceMap.ofThisProcess("uid_map").isWhole {
            logger.warning(
                "clients that this user namespace hides are all uid \(NamespaceMap.overflowID): they pass for one user")
        }
        // Before work starts again: reactors merge its elements.
        try host.startReactors()
        conditions.watch(configuration.conditions)
        // After the orphans' end: what starts again must not meet what it did before.
        logger.log(resuming: host.resume())
        server = Server(
            host: host, loop: loop, limits: configuration.limits,
            rights: Rights(owner: getuid(), server: configuration.access), logger: logger,
            onReload: { [unowned self] in self.reload(dryRun: $0) })
        listener = try makeListener()
        listener.onAccept = { [server] in server!.accept($0) }
        startWatchdog()
        loop.execute { [self] in
            logger.notice("ready with \(statusText) on \(places.socket)")
            manager.notifier.ready(status: statusText)
        }
        loop.start(name: "rxd.loop")
        loop.join()
        store.close()
        stateStore?.close()
    }

    private func makeListener() throws -> Listener {
        guard let inherited = manager.sockets.first else { return try Listener(binding: places.socket, loop: loop) }
        for extra in manager.sockets.dropFirst() {
            logger.warning("the socket \(extra.name) is not used: rxd listens on one")
            close(extra.fileDescriptor)
        }
        return try Listener(adopting: inherited.fileDescriptor, loop: loop)
    }

    private var statusText: String {
        let reactors = host.registry.reactors.count
        return "\(host.registry.actions.count) actions" + (reactors == 0 ? "" : ", \(reactors) reactors")
    }

    /// Feeds systemd only while both a scheduler and the loop get through their work.
    private func startWatchdog() {
        guard let interval = manager.watchdogInterval else { return }
        let notifier = manager.notifier
        let logger = logger
        watchdog = Watchdog(
            interval: interval,
            parties: [
                .init("scheduler") { answer in DispatchQueue.global().async(execute: answer) },
                .init("loop") { [loop] answer in loop.execute(answer) },
            ],
            feed: { notifier.watchdog() },
            onStall: { logger.warning("the \($0) makes no progress") })
        watchdog?.start()
    }

    // MARK: Signals

    private func receive(_ signal: Int32) {
        switch signal {
        case SIGHUP:
            guard !isStopping else { return }
            manager.notifier.reloading()
            switch reload(dryRun: false) {
            case .success: manager.notifier.ready(status: statusText)
            case .failure: manager.notifier.ready(status: "\(statusText); the new configuration was refused")
            }
        default:
            isStopping ? leave("a second signal") : stop()
        }
    }

    private func reload(dryRun: Bool) -> Result<RegistryChange, ReloadFailure> {
        let loaded: Configuration
        do {
            loaded = try places.load()
        } catch {
            logger.error("the new configuration is refused, the old one holds")
            for fault in error.faults { logger.error("\(fault)") }
            return .failure(ReloadFailure(faults: error.faults.map(\.description)))
        }
        if !dryRun, loaded.hasPersistentReactors, stateStore == nil {
            do throws(StoreError) {
                stateStore = try places.openStateStore(logger)
                host.stateStore = stateStore
            } catch {
                logger.error("the new configuration is refused, the old one holds")
                logger.error("\(error)")
                return .failure(ReloadFailure(faults: ["\(error)"]))
            }
        }
        let change = host.reload(
            loaded.definitions(processes: processes),
            reactors: loaded.reactorDefinitions(host: jqHost), dryRun: dryRun)
        if !dryRun {
            if loaded.limits != configuration.limits {
                logger.warning("[limits] has changed: the new limits hold after a restart")
            }
            if loaded.retention != configuration.retention {
                logger.warning("[history] or key-lifetime has changed: that holds after a restart")
            }
            conditions.watch(loaded.conditions)
            configuration = loaded
            server.rights.set(server: loaded.access)
            logger.notice(
                "reloaded: \(change.added.count) added, \(change.changed.count) changed, \(change.removed.count) removed, \(change.unchanged.count) unchanged"
            )
        }
        return .success(change)
    }

    // MARK: Stopping

    /// Takes no more clients and no more input, cancels what is in flight, tells everyone, and leaves the loop; all of
    /// it within the limit of the configuration.
    private func stop() {
        isStopping = true
        manager.notifier.stopping()
        logger.notice("stopping")
        listener.close(unlink: manager.sockets.isEmpty)
        loop.schedule(after: configuration.stopTimeout) { [unowned self] in self.leave("the stop took too long") }
        host.stop { [loop] in
            loop.execute { [unowned self] in self.sayGoodbye() }
        }
    }

    private func sayGoodbye() {
        loop.schedule(after: Daemon.lastLinesLimit) { [loop] in loop.stop() }
        server.stop { [loop] in loop.stop() }
    }

    /// Leaves now; what is still running is ended by force.
    private func leave(_ reason: String) {
        for execution in host.log.executions() where !execution.state.isFinal {
            logger.warning(
                "left behind: \(reason)",
                metadata: ["action": "\(execution.action)", "execution": "\(execution.id)"])
        }
        _ = ledger.endOrphans(grace: .zero)
        // The loop's last turn still writes what clients take at once, the end of their subscriptions among it.
        server.stop {}
        loop.stop()
    }
}

extension Daemon.Places {
    func load() throws(ConfigurationErrors) -> Configuration {
        try Configuration.load(
            directory: configuration, mayBeMissing: configuration == Daemon.Places.defaultConfiguration,
            builtinReactors: Set(BuiltinReactor.allCases.map(\.rawValue)))
    }
}

extension Daemon.Places {
    fileprivate func openStateStore(_ logger: Logger) throws(StoreError) -> StateStore {
        try StateStore(
            path: state + "/reactors.db",
            onFailure: { logger.error("the states of reactors could not be written: \($0)") })
    }
}

extension Configuration {
    /// By the names of actions.
    var conditions: [String: ReactorCondition] {
        Dictionary(uniqueKeysWithValues: actions.compactMap { action in action.condition.map { (action.name, $0) } })
    }

    var hasPersistentReactors: Bool { reactors.contains { $0.persistence != nil } }

    var keyLimits: Host.KeyLimits {
        var keys = Host.KeyLimits()
        keys.count = limits.keys
        keys.lifetime = keyLifetime
        return keys
    }

    var replayLimits: Host.ReplayLimits {
        var replay = Host.ReplayLimits()
        replay.events = limits.replayEvents
        replay.bytes = limits.replayBytes
        return replay
    }

    var retention: ExecutionStore.Retention {
        var retention = ExecutionStore.Retention()
        retention.count = historyCount
        retention.age = historyAge
        retention.keys = limits.keys
        retention.keyLifetime = keyLifetime
        return retention
    }

    func definitions(processes: ProcessServices) -> [ActionDefinition] {
        actions.map { $0.definition(processes: processes) }
    }

    func reactorDefinitions(host: any JqReactorHost) -> [ReactorDefinition] {
        reactors.compactMap { $0.definition(host: host, builtin: BuiltinReactor.definition(of:name:summary:)) }
    }
}
