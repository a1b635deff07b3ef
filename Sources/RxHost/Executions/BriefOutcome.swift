/// What became of a request to execute synchronous work.
public enum BriefOutcome {
    /// The work has ended.
    case done(BriefExecution)
    /// The input is not valid; nothing was executed.
    case invalid([InputFault])
    /// The request needs `Host.submit`; nothing has happened.
    case notBrief
}
