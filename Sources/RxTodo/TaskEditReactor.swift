public import Rx
public import RxReactor

/// Edits a new or existing task until it is submitted or discarded.
public final class TaskEditReactor: Reactor {
    /// What is edited.
    public enum Mode: Equatable, Sendable {
        /// A new task, which `submit` creates.
        case new
        /// An existing task, which `submit` updates.
        case edit(TodoTask)
    }

    /// What a user can do with the form.
    public enum Action: Equatable, Sendable {
        /// Replaces the title.
        case setTitle(String)
        /// Replaces the memo.
        case setMemo(String)
        /// Ends the edit; if there are unsaved changes, asks first: `leave` confirms, `stay` returns.
        case cancel
        /// Discards the changes and ends the edit.
        case leave
        /// Goes on with the edit after `cancel` asked.
        case stay
        /// Saves the task in the service, then ends the edit. Ignored unless `canSubmit`.
        case submit
    }

    /// A change of the state.
    public enum Mutation: Equatable, Sendable {
        /// A new title.
        case setTitle(String)
        /// A new memo.
        case setMemo(String)
        /// Asks the user to confirm that the changes are discarded.
        case askToLeave
        /// Withdraws that question.
        case stay
        /// Ends the edit.
        case dismiss
    }

    /// What the form shows.
    public struct State: Equatable, Sendable {
        /// The title as edited.
        public fileprivate(set) var title: String
        /// The memo as edited.
        public fileprivate(set) var memo: String
        /// Whether the user is being asked to discard unsaved changes.
        public fileprivate(set) var isAskingToLeave = false
        /// Whether the edit has ended; nothing changes after that.
        public fileprivate(set) var isDismissed = false
        fileprivate let saved: Content

        fileprivate struct Content: Equatable, Sendable {
            var title: String
            var memo: String
        }

        /// Whether there are unsaved changes.
        public var isChanged: Bool { Content(title: title, memo: memo) != saved }
        /// Whether `submit` would save: there are changes, and the title is not blank.
        public var canSubmit: Bool { isChanged && !isDismissed && !title.allSatisfy(\.isWhitespace) }
    }

    /// The task to edit, or empty fields.
    public let initialState: State
    /// The reactor's storage, which `Reactor` requires.
    public let store = Store()
    private let mode: Mode
    private let service: TaskService

    /// Creates a form that saves to `service`.
    public init(_ mode: Mode, _ service: TaskService) {
        self.mode = mode
        self.service = service
        let saved =
            switch mode {
            case .new: State.Content(title: "", memo: "")
            case .edit(let task): State.Content(title: task.title, memo: task.memo)
            }
        initialState = State(title: saved.title, memo: saved.memo, saved: saved)
    }

    /// Maps an action to mutations; `submit` saves through the service first.
    public func mutate(action: Action) -> Observable<Mutation> {
        let state = currentState
        switch action {
        case .setTitle(let title): return .just(.setTitle(title))
        case .setMemo(let memo): return .just(.setMemo(memo))
        case .cancel: return .just(state.isChanged ? .askToLeave : .dismiss)
        case .leave: return .just(.dismiss)
        case .stay: return .just(.stay)
        case .submit:
            if !state.canSubmit { return .empty() }
            let submitted =
                switch mode {
                case .new: service.create(title: state.title, memo: state.memo)
                case .edit(let task): service.update(id: task.id, title: state.title, memo: state.memo)
                }
            return submitted.map { _ in .dismiss }
        }
    }

    /// Applies a mutation to a state; a dismissed form stays as it is.
    public func reduce(state: State, mutation: Mutation) -> State {
        var state = state
        if state.isDismissed { return state }
        switch mutation {
        case .setTitle(let title): state.title = title
        case .setMemo(let memo): state.memo = memo
        case .askToLeave: state.isAskingToLeave = true
        case .stay: state.isAskingToLeave = false
        case .dismiss:
            state.isAskingToLeave = false
            state.isDismissed = true
        }
        return state
    }
}
