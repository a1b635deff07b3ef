// RxHost: named actions over JSON values and their executions, reactors and their states, the feeds of streams, and one
// consistent view of all of them.
//
//     Host.submit -> ExecutionKeys (known key?) ----> HostedAction (JSON -> work) -> Action -> work: Observable
//          ^                                               |
//          +-- HostedExecution (identity, Recording) <-----+--> EventLog (levels, events, cursor) -> subscribers
//                                                          +--> ExecutionStore (history, inputs, keys, switches)
//
// Rules:
// - `EventLog` has the lock of `HostState`. Everything that a client can see changes under it: levels, executions, and
//   the cursor move together, so a snapshot and the events after its cursor have no gap and no duplicate. The mutable
//   fields of actions, reactors, and executions are guarded by the same lock: only code that holds a `HostState` uses
//   them. Exceptions: `HostedReactor.lifecycle` and the definition of a `HostedAction` have locks of their own, and the
//   gate's lock guards the causes of the brief execution in flight.
// - Nothing is called while that lock is held. Observers of an execution are called afterwards, in order.
// - The gate decides what becomes of an input. `TransitionHandler` turns its transitions into levels, events, and
//   records. An input counts as accepted (`LevelState.accept`) before its start is published.
// - A `HostedAction` lives as long as its name is configured. A reload gives it a new definition for its next
//   execution; its gate, executions, and subscribers stay.
// - An execution belongs to its `Requesters`. A requester that reads the stream slowly may hold the work back for a
//   while (`Flow`); no other subscriber can. A requester that joins receives the `Recording` first.
// - A key refers to one execution for its lifetime, also to one that was joined; only a refusal releases it.
// - The acceptance, start, and withdrawal before the start of a durable execution are reported once they are on the
//   disk. At a stop, queued ones stay in the store, and `Host.resume` starts them again.
// - Time, ids, threads, and timers come from the host's `Platform`, through `HostServices` and `QueueScheduler`.
//
// The files form layers, each of which uses those before it only:
// - values and definitions: ActionDefinition, ReactorDefinition, Access, ExecutionRequest, the refusals;
// - events and where they are kept: Hosted, HostEvent, EventRing, EventRings, BriefExecution;
// - the core, whose files know each other: HostServices, EventLog, HostState, HostedAction, HostedExecution;
// - what acts on the core: TransitionHandler, ExecutionWork, ActionSwitching, ExecutionKeys, CatchUp, HostedReactor;
// - Host and its extensions, which put them together.
//
// Read: ActionDefinition (what a kind of action provides), Host and ExecutionRequest, HostedAction with LevelState,
// ActionSwitching, and TransitionHandler; HostedExecution with ExecutionWork, ExecutionStorage, Requesters, and
// Recording; EventLog, HostState, PendingEvents, EndedExecutions, EventRing, EventRings; CatchUp with CatchUpStart
// and CatchUpReader; then BriefExecution (the fast path), ExecutionKeys, Durability, RetryPolicy, HostRecovery,
// Host+Life.
// `Reload/` exchanges the definitions: RegistryDifference, PreparedReload, Host+Reload.
// `Builtins/` are the kinds that need no process. A new kind is a function that returns an `ActionDefinition`.
// `Executions/Output/`: what is kept of the elements and the stderr of an execution (RetainedOutput), without its
// secrets (SecretRedactor).
//
// Then `Reactors/`: ReactorDefinition and ReactorEngine (what a kind of reactor provides), HostedReactor with
// ReactorLevelState, DispatchGate, PendingDispatches with UnansweredDispatches and UnsettledSteps, HeldDispatches, and
// ReactorLifecycle; ReactorStart (from the stored state), ReactorReplacement (at a reload, and when a dispatch could
// not be stored) with EngineBacklog and EngineDrains, Outlet; TypedReactor with ReactorCoding and StateSize for
// reactors in Swift; `Rehearsal/`, which dispatches a history again, has a front page of its own. The module RxStore
// stores all of it.
//
// `Users/`: UserMemory (what is kept for one user, whoever started the work), UserMemoryTable.
//
// `Streams/`: HostedStream (a stream as the server sees it; RxBindings runs it), StreamFeed and StreamFeeds (its
// events, which outlive a reload), TapFeed and Taps (what leaves one of its steps), StreamView (what a client may see).
