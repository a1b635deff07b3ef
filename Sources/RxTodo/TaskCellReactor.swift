public import Rx
public import RxReactor

/// A row of the list: it follows one task.
public final class TaskCellReactor: Reactor, IdentityHashable {
    /// What a user can do with a row.
    public enum Action: Equatable, Sendable {
        /// Marks the task as not done if it is done, otherwise as done.
        case toggleDone
        /// Deletes the task.
        case delete
    }

    /// A change of the task.
    public enum Mutation: Equatable, Sendable {
        /// A new title and memo.
        case setContent(title: String, memo: String)
        /// The task was marked as done or not done.
        case setDone(Bool)
    }

    /// The task of the row.
    public typealias State = TodoTask

    /// The task as it was when the row was made.
    public let initialState: TodoTask
    /// The reactor's storage, which `Reactor` requires.
    public let store = Store()
    private let service: TaskService

    /// Creates a row of a task, which follows the events of `service` once its state is used.
    public init(_ task: TodoTask, _ service: TaskService) {
        initialState = task
        self.service = service
    }

    /// Changes the task through the service; the change arrives as an event.
    public func mutate(action: Action) -> Observable<Mutation> {
        let id = initialState.id
        let change =
            switch action {
            case .toggleDone: currentState.isDone ? service.markAsUndone(id: id) : service.markAsDone(id: id)
            case .delete: service.delete(id: id)
            }
        return change.flatMap { _ in Observable<Mutation>.empty() }
    }

    /// Merges the events of the row's task into the mutations.
    public func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
        let id = initialState.id
        let followed = service.events.compactMap { event -> Mutation? in
            guard event.id == id else { return nil }
            switch event {
            case .create(let task), .update(let task): return .setContent(title: task.title, memo: task.memo)
            case .markAsDone: return .setDone(true)
            case .markAsUndone: return .setDone(false)
            case .delete, .move: return nil
            }
        }
        return .merge(mutation, followed)
    }

    /// Applies a mutation to a task.
    public func reduce(state: TodoTask, mutation: Mutation) -> TodoTask {
        var state = state
        switch mutation {
        case .setContent(let title, let memo):
            state.title = title
            state.memo = memo
        case .setDone(let isDone): state.isDone = isDone
        }
        return state
    }
}
