// RxHost: named actions over JSON values, their executions, and one consistent view of both.
//
//     Host.execute -> Registry (name) -> HostedAction (JSON -> work) -> RxAction.Action -> work: Observable
//          ^                                   |
//          +---- HostedExecution (identity) <--+--> EventLog (levels, events, cursor) -> whoever serves it
//
// Rules:
// - `EventLog` has the one lock under which everything a client can see changes: levels, executions and the cursor
//   move together, so a snapshot and the events after its cursor have no gap and no duplicate.
// - Nothing is called while that lock is held. Observers of an execution hear of it afterwards, in order.
// - A `HostedAction` lives as long as its name is configured. A reload gives it a new definition for its next
//   execution; its gate, executions and subscribers stay.
// - An execution belongs to its requesters; see `HostedExecution`. One that reads its stream slowly may hold the work
//   back for a while (`Flow`); no other subscriber can.
//
// Read: ActionDefinition (what a kind of action must give), HostedAction, HostedExecution, EventLog, Host.
// `Builtins/` are the kinds that need no process. A new kind is a function that returns an `ActionDefinition`.
