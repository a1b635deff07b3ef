// RxBindings: streams in a daemon. A StreamHost runs the streams of a configuration beside a Host and gives their
// elements to actions and reactors.
//
//     StreamSource -> LiveStream (inbox) -> StreamExecutor (a turn on one of two lanes) -> RunningStream (the chain)
//       -> LiveBinding (input, claim) -> Host.submit or HostedReactor.dispatch -> Firing
//
// Rules:
// - A stream runs in turns, one at a time, on whichever lane is free. A turn may wait for a worker, never for anything
//   else, and processes at most `StreamLimits.elementsPerTurn` elements.
// - A batch of a source that can wait is settled when all its firings have been accepted; the source emits nothing
//   before that. What other sources emit waits in the inbox, within `StreamLimits`; beyond it, the oldest are dropped.
// - What must happen exactly once is claimed: the row with the slot, or the number of the firing, is written in the
//   transaction that accepts the execution.
//
// Reading order: StreamHost, LiveStream, Inbox, StreamExecutor, LiveSource; LiveBinding, Firing; HostEnvironment;
// HostSources; HostedLiveStream, StreamStructure.
