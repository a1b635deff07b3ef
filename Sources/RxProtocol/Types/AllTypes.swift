extension NamedType {
    /// Every named type, in the order of the documentation.
    public static let all: [NamedType] =
        [
            executionID, cursor, time, duration, peer, rule, streamOrigin, otherOrigin, origin, requester,
            userRequester, reactorRequester, streamRequester, right,
            versions, server, limits, hello, status, account, reload, reloadedStreams, document,
            actions, action, retry, enabled, reason, reasonExecuting, reasonCondition, reasonManual, reasonStopping,
            upcoming, actionsNow, actionNow, executionEnd, actionLevels, switched, cancelledExecutions, forgottenKeys,
            outlook, execution, nextAttempt, awaited, executed, started, scheduled, executions, output, outputPart,
            missingOutput, idle,
            reactors, reactor, reactorLevels, reactorState, dispatched, history, reducedStep, replacedStep,
            streams, stream, streamNow, streamDetails, streamStep, firing, sent, streamSwitched,
            streamGraph, graphSource, graphReference, graphStep, graphTarget, graphAction, graphReactor,
            start, startWord, startCursor, startTime, startExecution, subscribed, unsubscribed, snapshot, event,
        ] + events + [lag, end, error, fault] + ErrorCode.allCases.flatMap { [$0.type, $0.dataType] }
}
