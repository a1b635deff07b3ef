// RxBindings: streams in a daemon. A StreamHost runs the streams of a configuration beside a Host and gives their
// elements to actions and reactors.
//
//     StreamSource -> LiveSource -> StreamTurns (inbox) -> StreamExecutor (a turn on one of two lanes)
//       -> LiveStream -> RunningStream (the chain) -> StreamOutput (channels: subscribers, other streams)
//       -> LiveBinding (input) -> ActionTarget: Host.submit with a claim, or ReactorTarget: HostedReactor.dispatch
//       -> FiringLog -> Firing
//
// Rules:
// - A stream runs in turns, one at a time, on whichever lane is free. A turn may wait for a worker, never for anything
//   else, and ends after `StreamLimits.elementsPerTurn` elements or `StreamTurn.length`; what it has not processed is
//   put back. What it cannot cut is an element in a chain of slow steps, or one that becomes many: then each program
//   that ends is progress for the watchdog, and the others of the lane go on without it.
// - A batch of a source that can wait is settled when all its firings have been accepted; the source emits nothing
//   before that. What other sources emit waits in the inbox, within `StreamLimits`; beyond it, the oldest are dropped.
// - What must happen exactly once is claimed: the row with the slot, or the number of the firing, is written in the
//   transaction that accepts the execution.
// - What comes out of a persistent stream of slots or executions is stored in one transaction with the positions and
//   the state of the steps, and fired after it: see OwedFirings.
// - What such a stream passes to one that reads it is stored in the same transaction, and removed in the one that
//   stores what has come of it there: see StreamHandoff. The sources go on once the reader is done with it, and other
//   positions are stored only then. When `StreamLimits` are reached there, the stream that is read waits.
// - Of a level, only the newest value waits: in the inbox, and at each `on`.
//
// Where things are:
// - Intake: what arrives. The sources that are open, the inbox, the turns.
// - Running: what a stream decides in a turn, its switches, and what all streams share.
// - Output: what leaves a stream, on its channels, and its figures. What a channel carries, who reads it, and what is
//   logged of it changes here.
// - Handoffs: what a stream passes to another one, stored in between.
// - Bindings: the `on`s, and their firings from the beginning to the end.
// - Levels: current values, which are replayed, coalesced, and remembered.
// - Storage: what survives a restart, and when it is stored.
// - HostSources: opens the sources of a daemon's streams; its own read actions, reactors, and what clients send.
// - Conditions: the conditions (`enabled`) of streams and of actions.
// - Schedules: starts executions at their times (`execute --at`), by the clock and the alarms that streams use.
// - Structure: what a stream or a condition consists of, in flat lists and texts for clients.
//
// Reading order: StreamHost, LiveStream, StreamTurns, Inbox, UnpacedElements, StreamExecutor, StreamTurn, OpenSources,
// LiveSource; StreamOutput; LiveBinding, ActionTarget, ReactorTarget, FiringLog, Firing; StreamCommits, StreamStorage,
// OwedFirings, StreamHandoff; StreamLevels; HostEnvironment; HostSources; HostedLiveStream, StreamStructure.
