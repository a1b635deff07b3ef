// RxHost: named actions over JSON values, their executions, and one consistent view of both.
//
//     Host.submit -> ExecutionKeys (asked before?) -> HostedAction (JSON -> work) -> RxAction.Action -> work: Observable
//          ^                                               |
//          +-- HostedExecution (identity, Recording) <-----+--> EventLog (levels, events, cursor) -> whoever serves it
//                                                          +--> ExecutionStore (history, durable inputs, keys, switches)
//
// Rules:
// - `EventLog` has the one lock under which everything a client can see changes: levels, executions and the cursor
//   move together, so a snapshot and the events after its cursor have no gap and no duplicate.
// - Nothing is called while that lock is held. Observers of an execution hear of it afterwards, in order.
// - The gate decides what becomes of an input, `Follow` turns what it then tells into levels, events and records. An
//   input is accepted before it is told: what counts is `Levels.accepted`.
// - A `HostedAction` lives as long as its name is configured. A reload gives it a new definition for its next
//   execution; its gate, executions and subscribers stay.
// - An execution belongs to its requesters; see `HostedExecution`. One that reads its stream slowly may hold the work
//   back for a while (`Flow`); no other subscriber can. Who joins is told the `Recording` first.
// - A key means one execution for its lifetime, also one that was joined; only a refusal gives it back.
// - What is durable is told when it is on the disk: acceptance, start, and withdrawal before the start. At a stop what
//   waits stays in the store, and `Host.resume` starts it again.
//
// Read: ActionDefinition (what a kind of action must give), Host and ExecutionRequest, HostedAction with Follow and
// Switch, HostedExecution with Work, EventLog, Replay with Beginning and GoingOn; then BriefExecution (the short way),
// ExecutionKeys, Recording, Durability, RetryPolicy, Host+Resume, Host+Life. `Builtins/` are the kinds that need no process. A new kind is a function that returns an
// `ActionDefinition`.
//
// Then `Reactors/`: ReactorDefinition and ReactorEngine (what a kind of reactor must give), HostedReactor with Keeping and
// Changes, Outlet; TypedReactor with ReactorCoding and StateSize for those written in Swift; `Rehearsal/`, which takes a
// history again, has a front page of its own. The module RxStore keeps all of it on disk.
