// RxAction: work that can be enabled, executed, observed and cancelled.
//
//     let deploy = Action<String, Line>(enabledIf: isIdle, overlap: .queue(limit: 10)) { target in lines(of: target) }
//     deploy.errors.subscribe(onNext: { … })
//     deploy.execute("web").subscribe(onNext: { print($0) })
//     taps.withLatestFrom(target).bind(to: deploy)
//
// Rules for users
// * The check whether an input may start and the start are one step. `execute` starts whether or not its result is
//   subscribed; each caller gets its own results, and disposing a subscription to them cancels nothing.
// * `Overlap` says what an input does that arrives while work is in flight: it is refused (`reject`), waits (`queue`), starts
//   beside it (`concurrent`), takes its place (`latest`), or takes part in it (`join`). Changed later, it holds from the next
//   input on; with more room, what waits begins at once. What waits is held while the condition does not hold.
// * Who joins gets all results from the first on, if the execution was started under `join`.
// * `executing` is whether work is in flight, not whether something waits; `enabled` is whether an input would be accepted.
// * Errors: `ActionError` has two cases. `notEnabled` is a refusal, whose `Refusal` `start` and `check` return.
//   `underlyingError` wraps what the work failed with, or one of ours: `ExecutionCancelled` (or the reason given to `cancel`),
//   `ExecutionSuperseded` by a later input, `Refusal.queueFull`, `Refusal.released` for what waited when the action went.
//   An `enabledIf` that fails disables for good: its error is in `errors`, and is the reason of each later refusal.
// * Per execution: queued if it waits, started, executing true, enabled false, elements, error, ended, executing false, enabled
//   true. The work is made and subscribed after the start and the levels were told. Steps that are one change, as an end and
//   the start of the next one that waits, tell the levels once, after the last. See `ActionTransition`.
// * Everything is told one at a time, by the thread that changed something, unless another one is telling: then that one
//   goes on. A call from within a listener is told after what is being told. So `start` can return before its work is
//   subscribed: when another thread tells, or when it is called from within a listener.
// * `Execution.cancel` disposes the work; work that needs time to stop takes a `WorkContext` and registers `onCancel`.
// * An action keeps nothing of past executions. When it goes away its streams complete and what waits is cancelled; work in
//   flight goes on.
// * `bind(to: action)` keeps the action, `bind(to: action.inputs)` does not. A button of a toolkit conforms to `ActionControl`
//   and has an `ActionBinding`: bound, it follows `enabled`; unbound, it is disabled.
//
// A view model with an action in it, from fields and taps to what is shown: Tests/RxActionTests/Login.
//
// Reading order: Action, Overlap, ActionError, ActionTransition, ActionGate (the state and the order), ExecutionList, Audience
// (who hears of it), Work, AnyExecution, Execution, Results, ActionStreams, ExecutionID; Bind, ActionControl, ActionBinding.
