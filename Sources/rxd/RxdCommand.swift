internal import RxConfiguration
import ArgumentParser
internal import Glibc
internal import RxJq
internal import RxPlatform
internal import Logging
internal import RxOffline
internal import RxProcess
internal import RxProtocol
internal import RxServer
internal import RxSources
internal import Systemd

// rxd: a host with a configuration. This file is `main`: systemd's inheritance, options, configuration, logging,
// Daemon.
//
// Reading order: RxdCommand, Daemon (what rxd adds to RxServer's HostDaemon), ConfigurationValues. RxOffline has what
// rxd does without becoming a daemon. RxConfiguration reads the configuration; its kinds of work are RxProcess and
// RxJq. A new kind of action is a module that makes an `ActionDefinition`, and a case of `ConfiguredAction.Kind`.

@main
struct RxdCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rxd",
        abstract: "Hosts actions and reactors; rxctl is the client.",
        version: ReleaseVersion.current)

    /// The outside world, passed on from here.
    private static let platform = Platform(allocator: .unattended)
    /// Taken first, while the process has one thread.
    private static let manager = ServiceManager.inherit(platform: platform)

    @Flag(
        name: .long,
        help: """
            Be the daemon of one user, with the places of the XDG specification: $XDG_CONFIG_HOME/rxd, \
            $XDG_STATE_HOME/rxd, and $XDG_RUNTIME_DIR/rxd/rxd.sock.
            """)
    var user = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The directory of rxd.toml and conf.d/*.toml. Default: \(Places.defaultConfiguration).", valueName: "dir"))
    var config: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Where to listen, unless systemd passes a socket. Default: $XDG_RUNTIME_DIR/rxd/rxd.sock, else \
            \(DefaultSocketPath.system).
            """,
            valueName: "path"))
    var socket: String?

    @OptionGroup var socketOptions: SocketOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The directory of the state. Default: with --user as above, else $STATE_DIRECTORY or /var/lib/rxd.",
            valueName: "dir"))
    var state: String?

    @Flag(
        name: .long,
        help: "Only check the configuration and run its tests: print every fault and warning, exit 78 or 0.")
    var check = false

    @Flag(
        name: .long,
        help: "Continue without what is damaged or missing in the state, and log what that is; otherwise exit 74.")
    var recover = false

    @Flag(help: "Print the keys of the configuration, the sources and operators of streams, and the protocol as JSON.")
    var describe = false

    @OptionGroup(title: "Testing") var testing: TestOptions

    @OptionGroup(title: "Replaying") var replay: ReplayOptions

    @OptionGroup(title: "Making a backup") var backup: BackupOptions

    @Flag(help: "With --test, --replay, or --backup: print JSON, errors included.")
    var json = false

    static func main() {
        JqWorker.serveIfAsked()
        // `Daemon` logs them later; until then, they must not end the process.
        for signal in [SIGUSR1, SIGUSR2] { platform.signals.ignore(signal) }
        _ = manager
        main(nil)
    }

    func validate() throws {
        let modes = [testing.isTest, replay.reactor != nil, backup.directory != nil].count { $0 }
        if modes > 1 { throw ValidationError("--test, --replay, and --backup exclude each other.") }
        if json, modes == 0 { throw ValidationError("--json goes with --test, --replay, or --backup.") }
    }

    func run() throws {
        if describe { throw ExitCode(StandardOutput.write(Description.text) == 0 ? EXIT_SUCCESS : EX_IOERR) }
        let manager = RxdCommand.manager
        if backup.directory != nil || testing.isTest || replay.reactor != nil { OfflineInterrupts.exitAtOnce() }
        let places = try orRefuse { () throws(PlacesFault) in try self.places() }
        // Without the configuration, which may be what has faults.
        if let directory = backup.directory {
            noteDefault(places.state, of: "state", unless: state)
            return try offline { () throws(OfflineFailure) in
                try BackupRun(
                    of: places.state, to: directory, replacing: backup.force, on: Self.platform.disk
                ).run()
            }
        }
        if testing.isTest { noteDefault(places.configuration, of: "configuration", unless: config) }
        let surroundings = StreamSurroundings(clock: Self.platform.wallClock)
        let loaded: Configuration
        let tests: [ConfiguredTest]
        do {
            loaded = try places.load(at: Self.platform.wallClock, for: check ? .ofService : nil)
            tests = testing.isTest ? try places.tests(of: loaded, surroundings) : []
        } catch {
            for fault in error.faults { writeError("\(fault)") }
            manager.notifier.status("the configuration is refused")
            throw ExitCode(EX_CONFIG)
        }
        if check {
            let check = ConfigurationCheck(loaded, in: places.configuration, surroundings, on: Self.platform)
            for line in check.lines { writeError(line) }
            // The environment of the service is not known here.
            if user, let warning = loaded.warning(of: places.inputFiles) { writeError("rxd: warning: \(warning)") }
            throw check.isValid ? ExitCode.success : ExitCode(EX_CONFIG)
        }
        if testing.isTest {
            throw try offline { () throws(OfflineFailure) in
                ExitCode(try TestRun(tests, only: testing.only, of: loaded, surroundings, asJSON: json).run())
            }
        }
        if let reactor = replay.reactor {
            noteDefault(places.state, of: "state", unless: state)
            throw try offline { () throws(OfflineFailure) in
                let run = ReplayRun(
                    of: reactor, replay.scope, under: loaded, in: places.configuration, state: places.state,
                    on: Self.platform)
                return ExitCode(try run.run())
            }
        }
        let listening = try orRefuse { () throws(PlacesFault) in try self.listening(places, manager) }
        let level = SharedLogLevel(loaded.logLevel)
        LoggingSystem.bootstrap {
            JournalLogHandler(label: $0, identifier: "rxd", destination: .detected, level: level)
        }
        do {
            try Daemon(
                places: places, listening: listening, configuration: loaded, manager: manager, logLevel: level,
                recovers: recover, platform: Self.platform
            )
            .run()
        } catch {
            let status = Self.exitStatus(of: error)
            Logger(label: "rxd").critical("\(error)\(Self.advice(on: error, status).map { "; \($0)" } ?? "")")
            throw ExitCode(status)
        }
    }

    private func places() throws(PlacesFault) -> Places {
        let ofUser = try user ? UserPlaces(environment: environment) : nil
        let ofSession = DefaultSocketPath.ofUser(environment: environment)
        var places = Places(
            configuration: config ?? ofUser?.configuration ?? Places.defaultConfiguration,
            socket: socket ?? (user ? ofSession : DefaultSocketPath.forDaemon(environment: environment)),
            state: state ?? ofUser?.state ?? environment("STATE_DIRECTORY") ?? "/var/lib/rxd",
            mayBeMissing: config == nil || config == Places.defaultConfiguration,
            runtimeDirectories: [environment("RUNTIME_DIRECTORY"), environment("XDG_RUNTIME_DIR")])
        if socket == nil, ofSession != nil { places.sessionDirectory = environment("XDG_RUNTIME_DIR") }
        if state == nil, let ofUser { places.stateDirectories = ofUser.stateDirectories }
        return places
    }

    /// Where a daemon listens, and who may connect.
    private func listening(_ places: Places, _ manager: ServiceManager) throws(PlacesFault) -> HostDaemon.Options {
        if !manager.sockets.isEmpty, let option = socketOptions.given.first {
            throw PlacesFault(
                "\(option) has no effect on the socket that systemd passes; remove it, and use SocketMode= and "
                    + "SocketGroup= in the socket unit")
        }
        var options = HostDaemon.Options(socket: try places.make(on: Self.platform.disk))
        options.socketMode = (socketOptions.socketMode ?? (user ? .ofUser : .ofGroup)).bits
        options.socketGroup = socketOptions.socketGroup?.gid
        options.directories.configuration = Self.platform.disk.resolve(places.configuration)
        options.directories.state = Self.platform.disk.resolve(places.state)
        return options
    }

    /// Reports a fault in the places, which no restart changes, and throws the exit code of a faulty configuration.
    private func orRefuse<Result>(_ body: () throws(PlacesFault) -> Result) throws -> Result {
        do throws(PlacesFault) {
            return try body()
        } catch {
            writeError("rxd: \(error)")
            throw ExitCode(EX_CONFIG)
        }
    }

    /// Works on the state without a daemon; reports a failure, and throws its exit code.
    private func offline<Result>(_ work: () throws(OfflineFailure) -> Result) throws -> Result {
        do throws(OfflineFailure) {
            return try work()
        } catch {
            error.report(asJSON: json)
            throw ExitCode(error.status.exitStatus)
        }
    }

    /// Remarks which directory is meant, if no option names it.
    private func noteDefault(_ path: String, of what: String, unless option: String?) {
        if option == nil { StandardError.note("the \(what) is \(path)", asJSON: json) }
    }

    private static func exitStatus(of error: any Error) -> Int32 {
        if let ledger = error as? ProcessLedgerError, ledger.isInUse { return EX_TEMPFAIL }
        return ExitStatus.of(error)
    }

    /// What to do about another daemon in the place of this one, or a socket that has no place.
    private static func advice(on error: any Error, _ status: Int32) -> String? {
        switch status {
        case EX_TEMPFAIL: "stop it, or name another directory with --state"
        case EX_UNAVAILABLE: "stop it, or name another socket with --socket"
        case _ where ExitStatus.isOfSocketPath(error):
            "name a socket in a directory that you may write to with --socket PATH, or be the daemon of one user "
                + "with --user"
        case _: nil
        }
    }

    private func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func writeError(_ line: String) { StandardError.write(line) }
}
