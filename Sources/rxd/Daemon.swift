internal import Glibc
internal import Logging
internal import RxBindings
internal import RxConfiguration
internal import RxHost
internal import RxJq
internal import RxLoop
internal import RxOffline
internal import RxPlatform
internal import RxProcess
internal import RxProtocol
internal import RxRecords
internal import RxServer
internal import RxSources
internal import RxStore
internal import Systemd

/// rxd's host and what only rxd has: processes, jq reactors, conditions, and a configuration that can be reloaded.
/// `HostDaemon` serves the host.
///
/// Once `run` has begun, everything happens on the loop's thread, except reloads (`ConfigurationReload`).
// Unchecked: the mutable fields belong to the loop's thread.
final class Daemon: @unchecked Sendable {
    private let places: Places
    private let logger: Logger
    private let logLevel: SharedLogLevel
    private let ledger: ProcessLedger
    private let inputFiles: InputFiles
    private let processes: ProcessServices
    private let directory: StateDirectory
    private let store: ExecutionStore
    private let jqHost = LiveHost()
    private let host: Host
    private let daemon: HostDaemon
    private let loop: EventLoop
    private let configuration: Configuration
    private let streams: DaemonStreams
    private let reload: ConfigurationReload
    private let signals: SharedSignals

    init(
        places: Places, listening: HostDaemon.Options, configuration: Configuration, manager: ServiceManager,
        logLevel: SharedLogLevel, recovers: Bool, platform: Platform
    ) throws {
        var options = listening
        // Before the state is opened, which a daemon that cannot listen must not change.
        try options.claimSocket(unlessPassedBy: manager, state: places.state, on: platform.disk)
        let openFiles = OpenFileLimit.raise(to: configuration.openFiles)
        try LazyDescriptors.open()
        ProcessServices.openDescriptors()
        manager.notifier.extendStart(on: platform)
        let logger = Logger(label: "rxd")
        if let warning = configuration.warning(ofOpenFiles: openFiles) { logger.warning("\(warning)") }
        self.logger = logger
        self.logLevel = logLevel
        self.places = places
        self.configuration = configuration
        loop = try EventLoop()
        ledger = try ProcessLedger(stateDirectory: places.state, platform: platform)
        if ledger.isDamaged {
            logger.warning(
                """
                \(ledger.path): damaged; processes that an earlier daemon left behind are looked for by their \
                environment
                """)
        }
        if ledger.wasFull {
            logger.warning(
                """
                \(ledger.path): full; an earlier daemon had more processes than the file has lines, and those that it \
                left behind are looked for by their environment
                """)
        }
        inputFiles = places.inputFiles
        processes = ProcessServices(
            loop: loop, platform: platform, ledger: ledger, inputFiles: inputFiles,
            log: ProcessNote.sink(to: logger))
        // Its own, so that no program of a stream delays an acceptance.
        let groupEvaluator = StreamEvaluator()
        directory = StateDirectory(path: places.state, logger: logger, recovers: recovers, platform: platform)
        store = try directory.openExecutions(configuration.retention) { [ledger] interrupted in
            guard ledger.isDamaged || ledger.isNew || ledger.wasFull else { return }
            if ledger.isNew, !interrupted.isEmpty {
                logger.warning(
                    """
                    \(ledger.path): missing or empty, although executions were in flight; processes that an earlier \
                    daemon left behind are looked for by their environment
                    """)
            }
            ledger.enter(interrupted.map { "\($0)" })
        }
        let stateStore: StateStore?
        do {
            stateStore =
                try configuration.hasPersistentReactors
                ? directory.openReactors(mostBytes: configuration.stateBytes) : nil
        } catch {
            store.close()
            throw error
        }
        host = Host(
            configuration.definitions(processes: processes, evaluator: groupEvaluator),
            reactors: configuration.reactorDefinitions(host: jqHost, clock: platform.monotonicClock), store: store,
            stateStore: stateStore, keys: configuration.keyLimits, catchUp: configuration.catchUpLimits,
            onEnd: { logger.log(ending: $0) }, onRetry: { logger.log(retrying: $0) },
            onReactorFault: { logger.log($1, of: $0) }, platform: platform)
        jqHost.enter(host)
        options.limits = configuration.limits
        options.access = configuration.access
        options.contact = configuration.contact
        options.stopTimeout = configuration.stopTimeout
        daemon = HostDaemon(host: host, loop: loop, options: options, manager: manager, logger: logger)
        signals = SharedSignals(loop: loop)
        do {
            streams = try DaemonStreams(
                host, loop: loop, processes: processes, places: places, signals: signals, stored: host.storedStreams,
                logger: logger)
        } catch {
            store.close()
            stateStore?.close()
            throw error
        }
        reload = ConfigurationReload(
            of: configuration, places: places, directory: directory, stateStore: stateStore, processes: processes,
            groupEvaluator: groupEvaluator, jqHost: jqHost, streams: streams, daemon: daemon, loop: loop,
            logger: logger,
            logLevel: logLevel)
    }

    /// Serves until a signal ends the daemon.
    func run() throws {
        // After a failed start, too: otherwise, the next one takes it for a crash.
        defer {
            store.close()
            reload.close()
        }
        daemon.onReload = { [reload] in reload.run($0) }
        try signals.catchStrays { [logger] in logger.warning("ignored SIG\($0), which no stream uses") }
        daemon.onStop = { [streams] in streams.stop($0) }
        daemon.vitalParts = [Watchdog.Party("threads of streams") { [probe = streams.probe] in probe($0) }]
        daemon.onForcedEnd = { [ledger, inputFiles] in
            _ = ledger.endOrphans(grace: .zero)
            inputFiles.removeAll()
        }
        try daemon.run({ [self] _ in start() }, preparing: { [self] _ in try prepare() })
    }

    /// What may refuse the start.
    private func prepare() throws {
        for warning in configuration.warnings { logger.warning("\(warning.record)") }
        if let warning = configuration.warning(of: inputFiles) { logger.warning("\(warning)") }
        for orphan in ledger.endOrphans() { logger.log(orphan) }
        inputFiles.removeAll()
        if !NamespaceMap.ofThisProcess("uid_map").isWhole {
            logger.warning(
                """
                the user namespace of rxd shows every unmapped user as uid \(NamespaceMap.overflowID), so rxd cannot \
                distinguish these users; run it without PrivateUsers=
                """)
        }
        // Before work starts again: reactors merge its elements.
        try host.startReactors()
    }

    private func start() {
        streams.conditions.watch(configuration.conditions, at: configuration.conditionPlaces)
        // After the orphans' end: what starts again must not meet the processes of its last attempt.
        logger.log(resuming: host.resume(), at: host.time)
        streams.apply(configuration) { [streams] in streams.ready() }
    }
}
