public import Rx
public import RxReactor

/// Edits a new or existing task until it is submitted or discarded.
public final class TaskEditReactor: Reactor {
    public enum Mode: Equatable, Sendable {
        case new
        case edit(TodoTask)
    }

    public enum Action: Equatable, Sendable {
        case setTitle(String)
        case setMemo(String)
        /// Ends the edit; if there are unsaved changes, asks first: `leave` confirms, `stay` returns.
        case cancel
        case leave
        case stay
        /// Saves the task in the service, then ends the edit. Ignored unless `canSubmit`.
        case submit
    }

    public enum Mutation: Equatable, Sendable {
        case setTitle(String)
        case setMemo(String)
        case askToLeave
        case stay
        case dismiss
    }

    public struct State: Equatable, Sendable {
        public fileprivate(set) var title: String
        public fileprivate(set) var memo: String
        /// Whether the user is being asked to discard unsaved changes.
        public fileprivate(set) var isAskingToLeave = false
        public fileprivate(set) var isDismissed = false
        fileprivate let saved: Content

        fileprivate struct Content: Equatable, Sendable {
            var title: String
            var memo: String
        }

        public var isChanged: Bool { Content(title: title, memo: memo) != saved }
        public var canSubmit: Bool { isChanged && !isDismissed && !title.allSatisfy(\.isWhitespace) }
    }

    public let initialState: State
    public let store = Store()
    private let mode: Mode
    private let service: TaskService

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
