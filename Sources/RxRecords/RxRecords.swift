// RxRecords: the values that a host and its store exchange.
//
// An execution is described by its ExecutionRecord (Causes, Origin, ExecutionState, ExecutionError, WorkFailure), found
// again by its ExecutionKey, and visible to a user within an ExecutionScope. ManualSwitch says who disabled an action.
// KeptOutput is what is kept of its elements and its stderr.
// A reactor's state is a ReactorState; ReactorPersistence says how it is kept.
//
// The module holds values without behavior: RxStore writes them to disk, and RxHost creates and changes them.
