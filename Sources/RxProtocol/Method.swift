/// The methods of rx/1 that this release implements, in the order of the documentation.
///
/// The raw value is the name on the wire.
public enum Method: String, Sendable, CaseIterable {
    /// Returns the protocol as an OpenRPC document.
    case rpcDiscover = "rpc.discover"
    /// Agrees on a version and on features, and returns the limits.
    case serverHello = "server.hello"
    /// Returns figures of the daemon.
    case serverStatus = "server.status"
    /// Reads the configuration again.
    case serverReload = "server.reload"
    /// Lists the actions that the client has a right on.
    case actionList = "action.list"
    /// Describes one action.
    case actionDescribe = "action.describe"
    /// Executes an action.
    case actionExecute = "action.execute"
    /// Returns what `actionExecute` would do with an input, with no side effect.
    case actionCheck = "action.check"
    /// Undoes `actionDisable`.
    case actionEnable = "action.enable"
    /// Refuses inputs and holds the queue until `actionEnable`.
    case actionDisable = "action.disable"
    /// Cancels the executions of an action that the client may cancel, and returns when they have ended.
    case actionCancel = "action.cancel"
    /// Forgets keys of the client's whose executions have ended.
    case actionForget = "action.forget"
    /// Lists executions, in flight and from the history.
    case executionList = "execution.list"
    /// Returns the record of one execution.
    case executionGet = "execution.get"
    /// Returns what is kept of the output of an execution.
    case executionOutput = "execution.output"
    /// Cancels an execution and returns at its end.
    case executionCancel = "execution.cancel"
    /// Returns at the end of an execution, or when an action is idle.
    case executionWait = "execution.wait"
    /// Lists the reactors that the client has a right on.
    case reactorList = "reactor.list"
    /// Describes one reactor.
    case reactorDescribe = "reactor.describe"
    /// Returns a reactor's state, or a part of it, now or at an earlier revision.
    case reactorState = "reactor.state"
    /// Lists the steps that led to a reactor's newest revisions, oldest first.
    case reactorHistory = "reactor.history"
    /// Dispatches an action to a reactor.
    case reactorDispatch = "reactor.dispatch"
    /// Lists the streams that the client has a right on.
    case streamList = "stream.list"
    /// Describes one stream.
    case streamDescribe = "stream.describe"
    /// Emits an element of the client's on a stream whose source is `subject`.
    case streamSend = "stream.send"
    /// Emits an element in place of a stream's source.
    case streamFire = "stream.fire"
    /// Undoes `streamDisable`, and ends the pause of a loop.
    case streamEnable = "stream.enable"
    /// Stops the sources of a stream until `streamEnable`.
    case streamDisable = "stream.disable"
    /// Opens a subscription.
    case subscribe = "subscribe"
    /// Ends a subscription.
    case unsubscribe = "unsubscribe"

    /// The name of `actionExecute`, for comparison in place without building a string: most requests call it.
    @inlinable
    public static var actionExecuteName: StaticString { "action.execute" }
    /// The name of `reactorDispatch`, for the same.
    @inlinable
    public static var reactorDispatchName: StaticString { "reactor.dispatch" }
}
