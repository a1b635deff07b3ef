// RxRecords: the values that a host and its store exchange.
//
// An execution is described by its ExecutionRecord (Causes, Origin, ExecutionState, ExecutionError, WorkFailure), found
// again by its ExecutionKey, and visible to a user within an ExecutionScope. An ExecutionSelection names the executions
// of a list, by a SearchText too. KeptOutput is what is kept of an execution's elements and stderr. ManualSwitch has
// the user who disabled an action. A reactor's state is a ReactorState; ReactorPersistence states how it is kept.
//
// The module holds values without behavior: RxStore writes them to disk, and RxHost creates and changes them.
