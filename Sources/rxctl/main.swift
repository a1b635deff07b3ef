// rxctl: the command line of rxd.
//
// `RootCommand` lists the commands, one file each. A command runs on one thread: `DaemonSession` holds the loop, the
// connection, stdout and the signals. It ends with an `Outcome`, and nothing else knows exit codes. stdout carries data
// only, everything else goes to stderr as `rxctl: …`.
//
// `FollowedExecution` prints one execution, `LineExecutions` one for each of the `InputLines` of stdin. `Completion/`
// answers a shell that calls back at Tab.
//
// `ReconnectingSubscription` outlives its connections; `PrintedSubscription` (subscribe) and `AwaitedCondition` (wait
// --for) read it. `Cursor/` keeps where a reader is: begin with `CursorFile`, which says why nothing is lost or doubled.
//
// To add a command: its file, its line in `RootCommand`, its row in README.md, and docs/rxctl.md if it brings a new exit
// code.
// An option with a value goes to `CommandLineWords` too, as a test will say.

RootCommand.runToExit()
