// RxAction: work that can be enabled, executed, observed and cancelled.
//
//     let deploy = Action<String, Line>(enabledIf: isIdle) { target in lines(of: target) }
//     deploy.errors.subscribe(onNext: { … })
//     deploy.execute("web").subscribe(onNext: { print($0) })
//
// Rules for users
// * The check whether an input may start and the start are one step. `execute` starts whether or not its result is
//   subscribed; each caller gets its own results, and disposing a subscription to them cancels nothing.
// * Per execution: started, executing true, enabled false, elements, error, ended, executing false, enabled true. The work is
//   made and subscribed after the first three were told. See `ActionTransition`.
// * Everything is told one at a time, by the thread that changed something, unless another one is telling: then that one
//   goes on. A call from within a listener is told after what is being told. So `start` can return before its work is
//   subscribed: when another thread tells, or when it is called from within a listener.
// * `Execution.cancel` disposes the work; work that needs time to stop takes a `WorkContext` and registers `onCancel`.
// * An action keeps nothing of past executions. When it goes away its streams complete; work in flight goes on.
//
// Reading order: Action, ActionTransition, ActionGate (the state and the order), Audience (who hears of it), Work,
// AnyExecution, Execution, Results, ActionStreams, ExecutionID.
