internal import RxJSON

/// What a key asks for beyond a change of the view; `Top` carries it out.
enum TopRequest: Equatable {
    case quit
    /// Cancels the executions of an action.
    case cancel(String)
    case execute(String, input: RawJSON?)
    case disable(TopItem.Kind, String, reason: String)
    case enable(TopItem.Kind, String)
    /// Shows why something is as it is.
    case why(TopItem.Kind, String)
    /// Opens the form of an action, which needs its schema.
    case form(String)
    /// Shows the output of the last execution of an action, or of the given one.
    case output(String, execution: String?)
    /// Reads the log of executions: the newest page, or the one before an execution.
    case log(before: String?)
}
