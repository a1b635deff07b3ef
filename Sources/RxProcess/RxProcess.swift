// RxProcess: process actions. An execution runs a process, and the output of the process becomes its elements.
//
//     ProcessDefinition (from the configuration) + Invocation (what the client sent)
//       -> ProcessServices.work: a cold Observable -> ProcessExecution: one process from its start to its end
//            ProcessStart: ProgramLookup, ProcessEnvironment, Pipe            how it starts
//            OutputPipes: PipeReader, ProcessOutputReader, ErrorOutputReader  while it lives, on the loop
//            ProcessEnding, SessionControl, ProcessSession                    how its session is ended
//            ProcessEnd                                                       what its status means
//       ProcessLedger, Orphans, SessionSnapshot: what must not outlive the daemon
//       InputFiles: parts of inputs that must not be arguments
//       System/ProcessSystem: the outside world, which tests replace
//
// Rules:
// - No shell. Input reaches a process only as whole arguments, in files (`InputFiles`), or as JSON on standard input.
// - A process leads its own session and group. It starts with default signal dispositions and an empty mask, and
//   inherits only its three standard descriptors.
// - An execution ends when its process has ended and nobody holds its output; `ProcessEnding` describes how long the
//   rest of the session may hold it. Later output is ignored.
// - A canceled, disposed, or faulty execution ends its whole session: SIGTERM, then SIGKILL after the grace. After a
//   normal end, members that have closed the output live on, as they would under cron or a shell. A process that
//   started its own session always lives on: finding it would require a subreaper, and guessing its owner would require
//   reading every environment. A service manager ends it with the daemon (KillMode).
// - Each of these ends takes at most twice the grace, plus `killTime` for a process that survives SIGKILL.
// - Everything is bounded: see `ProcessLimits`. The number of processes that a program starts is not (see TasksMax).
// - A failure that would recur with the same input is marked by `WorkFailure.mayPass`.
