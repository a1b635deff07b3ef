internal import ArgumentParser
internal import Glibc
internal import RxProtocol

struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rxctl",
        abstract: "Executes and watches the actions and reactors of rxd.",
        usage: "rxctl [<options>] <subcommand>",
        discussion: """
            stdout carries data only, one compact JSON text per line; everything else goes to stderr.

            Exit status:
              0    done
              1    work or a test failed; canceled; states differ (replay); faults (reload)
              2    the input was refused
              3    not enabled, the queue is full, a limit is reached, or shutting down
              4    forbidden
              5    no such action, reactor, stream, or execution; nothing is kept of it
              64   the command line is wrong
              69   the daemon cannot be reached
              74   the state cannot be read (replay, backup)
              75   events were lost (--strict)
              78   the configuration has faults (replay, test, reload --dry-run)
              124  timed out
              130  interrupted
              141  the reader of stdout went away
            """,
        version: ReleaseVersion.current,
        subcommands: [
            ExecuteCommand.self, RetryCommand.self, CheckCommand.self, DispatchCommand.self, StateCommand.self,
            SubscribeCommand.self, ListCommand.self, TopCommand.self, DescribeCommand.self,
            WhyCommand.self, EnableCommand.self, DisableCommand.self, HistoryCommand.self, CancelCommand.self,
            WaitCommand.self, OutputCommand.self, LogsCommand.self, StatusCommand.self, ReloadCommand.self,
            SendCommand.self, FireCommand.self, GraphCommand.self, MarblesCommand.self, CalendarCommand.self,
            TestCommand.self, CallCommand.self,
            ReplayCommand.self, BackupCommand.self, SocketPathCommand.self,
        ])

    @OptionGroup var options: GlobalOptions

    func run() throws {
        throw ValidationError("a command is missing; `rxctl --help` lists them")
    }
}

extension RootCommand {
    /// Parses the arguments, runs the command and exits.
    static func runToExit() -> Never {
        StandardStreams.prepare()
        let arguments = Array(CommandLine.arguments.dropFirst())
        var json = UsageFault.wantsJSON(arguments)
        do {
            var command = try parseAsRoot()
            json = (command as? any RxctlCommand)?.options.json ?? false
            try command.run()
            Glibc.exit(Outcome.done.exitStatus)
        } catch let ending as Ending {
            ending.report(json: json)
            Glibc.exit(ending.outcome.exitStatus)
        } catch {
            // --help and --version go to stdout; a usage error (64) goes to stderr like every message.
            if exitCode(for: error).isSuccess { printToExit(BashCompletion.script(fullMessage(for: error))) }
            UsageFault(error, in: arguments).ending.report(json: json)
            Glibc.exit(exitCode(for: error).rawValue)
        }
    }
}

extension RootCommand {
    private static func printToExit(_ text: String) -> Never {
        do {
            try StandardStreams.printLine(text)
            Glibc.exit(Outcome.done.exitStatus)
        } catch {
            error.report(json: false)
            Glibc.exit(error.outcome.exitStatus)
        }
    }
}
