// RxAction: work that can be enabled, executed, observed, and canceled.
//
//     let deploy = Action<String, Line>(enabledIf: isIdle, overlap: .queue(limit: 10)) { target in lines(of: target) }
//     deploy.errors.subscribe(onNext: { … })
//     deploy.execute("web").subscribe(onNext: { print($0) })
//     taps.withLatestFrom(target).bind(to: deploy)
//
// Rules for users
// * Admission is atomic: the check and the start are one step. `execute` starts whether or not its result is
//   subscribed. Each caller gets its own results. Disposing a subscription cancels nothing.
// * `Overlap` decides about an input that arrives while work is in flight: refuse it (`reject`), queue it (`queue`),
//   start it as well (`concurrent`), let it replace the current execution (`latest`), or join it to that one (`join`).
//   `.queue(limit: 500, parallel: 8)` keeps 8 executions in flight while up to 500 inputs wait in order.
//   A change applies from the next input on. If the new value leaves more room, waiting inputs start at once. Waiting
//   inputs are held while the condition is false.
// * A joined caller gets all results from the first on if the execution was started under `join`.
// * `executing` reports whether work is in flight, not whether inputs wait. `enabled` reports whether an input would be
//   accepted.
// * `ActionError` has two cases. `notEnabled` is a refusal; `start` and `check` return its `Refusal`. `underlyingError`
//   wraps the error of the work or one of: `ExecutionCancelled` (or the reason given to `cancel`),
//   `ExecutionSuperseded` by a later input, `Refusal.queueFull`, and `Refusal.released` for inputs that waited when the
//   action was released. If `enabledIf` fails, the action stays disabled: the error appears in `errors` and is the
//   reason for each later refusal.
// * The order per execution: queued if it waits, started, executing true, enabled false, elements, error, ended,
//   executing false, enabled true. The work is created and subscribed after the start and the levels are delivered.
//   Steps that form one change, such as an end and the start of the next waiting input, report the levels once, after
//   the last step. See `ActionTransition`.
// * Transitions are delivered one at a time, by the thread that caused them. If another thread is already delivering,
//   it continues with them. A call from within a listener is delivered after the current transition. `start` can
//   therefore return before its work is subscribed: when another thread delivers, or when a listener calls it.
// * `Execution.cancel` disposes the work. Work that needs time to stop takes a `WorkContext` and registers `onCancel`.
// * An action keeps nothing of past executions. When it is released, its streams complete, waiting inputs are canceled,
//   and work in flight continues.
// * `bind(to: action)` retains the action; `bind(to: action.inputs)` does not. A toolkit's button conforms to
//   `ActionControl` and has an `ActionBinding`: while bound it follows `enabled`; unbound it is disabled. Anything else
//   that ticks has an `ActionTrigger`, which ignores ticks that the action would refuse.
//
// Tests/RxActionTests/Login is a view model with an action, from its fields and taps to what it displays.
//
// Reading order: Action, Overlap, Outlook, ActionError, ActionTransition; ActionGate (state and decisions),
// ActionGate+Delivery (order), ActionStep, ExecutionList, ExecutionGroup, Audience (receivers); Work, WorkContext,
// AnyExecution, Execution, Results, ActionStreams, ExecutionID, ExecutionIDGenerator, SystemClock; Bind, ActionControl,
// ActionBinding, ActionTrigger.
