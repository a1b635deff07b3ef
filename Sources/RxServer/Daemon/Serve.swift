public import Logging
public import RxHost
internal import RxLoop
internal import RxPlatform
internal import RxStore
public import Systemd

extension HostDaemon {
    /// Hosts actions and reactors on a socket until SIGTERM or SIGINT: all that the `main` of a daemon needs.
    ///
    ///     try HostDaemon.serve([shout], reactors: [counter], socket: "/run/shout.sock")
    ///
    /// It reads systemd's variables in the environment, so call it before the process has a second thread. Under
    /// systemd it listens on the passed socket, reports readiness, and feeds the watchdog.
    ///
    /// - Parameters:
    ///   - actions: the actions that clients can execute.
    ///   - reactors: the reactors that clients can dispatch to.
    ///   - socket: where to listen. The directory must exist; a dead socket there is replaced.
    ///   - state: a directory for the history, durable inputs, and the states of reactors that persist; made if it is
    ///     missing. Without one, they last as long as the process.
    ///   - recovers: whether to continue without what is damaged or missing in `state`; the log names it.
    ///     Only on the operator's demand: without it, the daemon refuses to start.
    ///   - logger: the journal under systemd, otherwise standard error, unless given.
    /// - Throws: why it cannot start: the socket or the state directory cannot be used, or a reactor does not start.
    public static func serve(
        _ actions: [ActionDefinition] = [], reactors: [ReactorDefinition] = [], socket: String, state: String? = nil,
        recovers: Bool = false,
        logger: Logger = Logger(label: "rxd") { JournalLogHandler(label: $0, identifier: $0) }
    ) throws {
        let platform = Platform.system
        let manager = ServiceManager.inherit(platform: platform)
        try LazyDescriptors.open()
        manager.notifier.extendStart(on: platform)
        var options = Options(socket: socket)
        try options.claimSocket(unlessPassedBy: manager, state: state, on: platform.disk)
        let directory = state.map { StateDirectory(path: $0, logger: logger, recovers: recovers, platform: platform) }
        directory?.make()
        let store = try directory?.openExecutions(ExecutionStore.Retention())
        defer { store?.close() }
        let persists = reactors.contains { $0.persistence != nil }
        let stateStore = try persists ? directory?.openReactors() : nil
        defer { stateStore?.close() }
        let host = Host(
            actions, reactors: reactors, store: store, stateStore: stateStore,
            onEnd: { logger.log(ending: $0) }, onRetry: { logger.log(retrying: $0) },
            onReactorFault: { logger.log($1, of: $0) }, platform: platform)
        options.directories.state = state.flatMap(platform.disk.resolve)
        let daemon = HostDaemon(
            host: host, loop: try EventLoop(), options: options, manager: manager, logger: logger)
        try daemon.run()
    }
}
