internal import Logging
internal import Rx
internal import RxBindings
internal import RxConfiguration
internal import RxHost
internal import RxJq
internal import RxLoop
internal import RxOffline
internal import RxPlatform
internal import RxProcess
internal import RxServer
internal import RxStore
internal import Systemd

/// Brings a changed configuration into force.
///
/// The queue of the reloads reads and compiles it, opens the store of states, and starts new reactors and conditions.
/// The loop then exchanges the definitions, which takes no time. Engines are replaced and stopped on the queue again.
/// A configuration with a fault changes nothing.
final class ConfigurationReload: Sendable {
    private struct State {
        var configuration: Configuration
        /// Open only if a reactor persists: opening it takes time.
        var stateStore: StateStore?
    }

    private let places: Places
    private let directory: StateDirectory
    private let processes: ProcessServices
    private let groupEvaluator: StreamEvaluator
    private let jqHost: LiveHost
    private let streams: DaemonStreams
    private let daemon: HostDaemon
    private let loop: EventLoop
    private let logger: Logger
    private let logLevel: SharedLogLevel
    private let state: Locked<State>

    init(
        of configuration: Configuration, places: Places, directory: StateDirectory, stateStore: StateStore?,
        processes: ProcessServices, groupEvaluator: StreamEvaluator, jqHost: LiveHost, streams: DaemonStreams,
        daemon: HostDaemon, loop: EventLoop, logger: Logger, logLevel: SharedLogLevel
    ) {
        self.places = places
        self.directory = directory
        self.processes = processes
        self.groupEvaluator = groupEvaluator
        self.jqHost = jqHost
        self.streams = streams
        self.daemon = daemon
        self.loop = loop
        self.logger = logger
        self.logLevel = logLevel
        state = Locked(State(configuration: configuration, stateStore: stateStore))
    }

    private var host: Host { daemon.host }

    /// Closes the store of states, at the end.
    func close() { state.withLock { $0.stateStore }?.close() }

    /// Carries out one reload. Called on the queue of the reloads, on which it waits.
    func run(_ attempt: ReloadAttempt) {
        let loaded: Configuration
        do {
            loaded = try places.load(at: host.platform.wallClock, after: state.withLock { $0.configuration })
        } catch {
            return refuse(attempt, error.faults.map(\.description))
        }
        let actions = loaded.definitions(processes: processes, evaluator: groupEvaluator)
        let reactors = loaded.reactorDefinitions(host: jqHost, clock: host.platform.monotonicClock)
        if attempt.dryRun {
            var change = host.difference(from: actions, reactors: reactors)
            change.streams = streams.difference(from: loaded).reported
            return attempt.finish(.success(change))
        }
        guard attempt.beginChanges() else { return attempt.finish(.failure(.stopping)) }
        do throws(StoreError) {
            try openStateStore(for: loaded)
        } catch {
            return refuse(attempt, ["\(error)"])
        }
        let prepared = host.prepare(actions, reactors: reactors, on: attempt.queue)
        let preparedConditions = streams.conditions.prepare(loaded.conditions, at: loaded.conditionPlaces) {
            prepared.action($0)
        }
        preparedConditions.waitForAnswers()
        loop.execute { [self] in exchange(loaded, prepared, preparedConditions, attempt) }
    }

    private func refuse(_ attempt: ReloadAttempt, _ faults: [String]) {
        logger.error("the new configuration is refused; the old one stays in force")
        for fault in faults { logger.error("\(fault)") }
        attempt.finish(.failure(.faults(faults)))
    }

    private func openStateStore(for loaded: Configuration) throws(StoreError) {
        guard loaded.hasPersistentReactors, state.withLock({ $0.stateStore }) == nil else { return }
        let store = try directory.openReactors(mostBytes: loaded.stateBytes)
        state.withLock { $0.stateStore = store }
        host.stateStore = store
    }

    /// On the loop.
    private func exchange(
        _ loaded: Configuration, _ prepared: PreparedReload,
        _ preparedConditions: PreparedConditions, _ attempt: ReloadAttempt
    ) {
        var change = prepared.change
        change.streams = streams.difference(from: loaded).reported
        let expected = change
        // When the host has made its changes, which it may do within `commit`, and the rest is in force too: the next
        // reload may begin after that.
        let allDone = Countdown(3) { [self] in
            attempt.queue.async { [self] in
                preparedConditions.stopGone()
                var reported = expected
                reported.faults = prepared.faults
                adopt(loaded, reported)
                attempt.finish(.success(reported))
            }
        }
        if prepared.commit(whenDone: { allDone.count() }) {
            streams.conditions.adopt(preparedConditions)
            daemon.stopTimeout = loaded.stopTimeout
            daemon.rights.set(server: loaded.access)
            daemon.rights.set(contact: loaded.contact)
            streams.apply(loaded) { allDone.count() }
            allDone.count()
        } else {
            attempt.queue.async {
                preparedConditions.abandon()
                prepared.abandon { attempt.finish(.failure(.stopping)) }
            }
        }
    }

    /// Applies what lies outside the host.
    private func adopt(_ loaded: Configuration, _ change: RegistryChange) {
        let before = state.withLock { state in
            defer { state.configuration = loaded }
            return state.configuration
        }
        host.stateStore?.bound(bytes: loaded.stateBytes)
        host.beginUpkeep(logger)
        if loaded.limits != before.limits {
            logger.warning("[limits] has changed; the change takes effect after a restart")
        }
        if loaded.retention != before.retention {
            logger.warning("[history] or key-lifetime has changed; the change takes effect after a restart")
        }
        logLevel.level = loaded.logLevel
        for warning in loaded.warnings { logger.warning("\(warning.record)") }
        if let warning = loaded.warning(of: places.inputFiles) { logger.warning("\(warning)") }
        logger.notice(
            """
            reloaded: \(change.added.count) added, \(change.changed.count) changed, \
            \(change.removed.count) removed, \(change.unchanged.count) unchanged
            """
        )
    }
}
