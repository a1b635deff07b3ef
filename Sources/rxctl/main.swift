// rxctl: the command line of rxd.
//
// A command runs on one thread. `DaemonSession` holds the loop, the link to the daemon, stdout, and the signals. The
// command ends with an `Outcome`, the only place that knows exit codes. stdout carries data only; everything else goes
// to stderr as `rxctl: …`.
//
// | folder | holds |
// |---|---|
// | `Commands/` | `RootCommand`, which lists the commands, and each command in its own file |
// | `Session/` | `DaemonSession`, `DaemonSearch` (`--wait`), `EarlyInterrupts`, `Ending` and `Outcome`, `VersionSkew` |
// | `Names/` | `NameUse`, the table of the nouns that commands take; `NameReport`, why one is refused; parts of ids |
// | `Following/` | streams and pages after a reply: `FollowedExecution`, `FollowedSubscription`, `ListedExecutions` |
// | `Logs/` | `rxctl logs`: a `LogRecord` is made from the journal or from the daemon's record of an execution |
// | `Input/` | arguments and stdin: `Input`, `InputLines` |
// | `Output/` | `Output` (stdout), tables, and the texts of errors and reasons |
// | `Each/` | `execute --each`: each line of stdin is an input; begin with `LineRun` |
// | `Streams/` | the texts and tables of streams |
// | `Cursor/` | `--cursor-file`: begin with `CursorFile`, which explains why no line is lost or doubled |
// | `Top/` | `rxctl top`: begin with `Top`, which explains the path of a picture and of a key |
// | `Completion/` | candidates for a shell that calls rxctl at Tab |
//
// Reconnecting is the work of RxClient's `Link`; rxctl decides only what it prints then.
//
// To add a command: its file, its line in `RootCommand`, its row in `NameUse` if it takes names, its row in README.md,
// and docs/rxctl.md if it brings a new exit code. An option with a value also goes into `CommandLineWords`, which a
// test checks.

EarlyInterrupts.exitAtOnce()
RootCommand.runToExit()
