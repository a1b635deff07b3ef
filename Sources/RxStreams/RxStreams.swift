// RxStreams: sources, passed through operators, under a name. A stream is described by values (definitions), composed
// of Rx's operators, and run on a clock that its elements carry.
//
// Rules:
// - Everything within a stream happens on its own scheduler, in the order of time. A stream has no threads and no
//   timers of its own: in a daemon an executor runs it, in a test a virtual clock.
// - Programs are jq and run in an evaluator.
// - At one moment, what is due comes before the elements that arrive, and of what is due, later steps come first. So
//   the order does not depend on when an alarm was set, and a restart does not change it.
// - Definitions know no operators, operators know no table, and the table knows no chain: the chain looks an operator
//   up in the table and gives its step what composes inner chains.
// - What survives a restart is a value (Cell) or elements that wait (ElementQueue), each under a name made of the place
//   of its step and the keys of its groups. There is no other state.
//
// Reading order: SourceDefinition, StepDefinition, StreamDefinition; StreamElement; StreamClock, StepRank; StreamState,
// StateScope, StoredValue, ElementQueue, PendingElements; StreamContext, StepContext, StepStage; the operators, of
// which Take, Debounce, GroupBy, and Executing show what there is; OperatorTable, StreamChain, RunningStream.
