// rxctl: the command line of rxd.
//
// `RootCommand` lists the commands, one file each. A command runs on one thread: `DaemonSession` holds the loop, the
// connection, stdout and the signals. It ends with an `Outcome`; `ExitStatus` maps outcomes to exit codes, and nothing
// else does. stdout carries data only, everything else goes to stderr as `rxctl: …`.
//
// To add a command: its file, its line in `RootCommand`, its row in DESIGN's table if it brings a new code.

RootCommand.runToExit()
