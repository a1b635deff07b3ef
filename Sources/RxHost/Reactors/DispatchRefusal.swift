public import RxStore

/// Why an action was not dispatched, or did not lead to a state.
public enum DispatchRefusal: Error, Sendable {
    case input([InputFault])
    case failed(ReactorFault)
    /// The reactor's rules refuse the action in the present state. The message is for whoever dispatches it.
    case refused(ReactorFault)
    /// Its mutations could not be stored, and are not in the state.
    case notKept(StoreError)
    /// `limit` dispatches are unanswered already.
    case full(limit: Int)
    /// The actions of unanswered dispatches have `limit` bytes already.
    case tooManyBytes(limit: Int)
    case stopping
}
