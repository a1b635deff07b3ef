public import Rx
public import RxReactor

/// A row of the list: it follows one task.
public final class TaskCellReactor: Reactor, IdentityHashable {
    public enum Action: Equatable, Sendable {
        case toggleDone
        case delete
    }

    public enum Mutation: Equatable, Sendable {
        case setContent(title: String, memo: String)
        case setDone(Bool)
    }

    public typealias State = TodoTask

    public let initialState: TodoTask
    public let store = Store()
    private let service: TaskService

    public init(_ task: TodoTask, _ service: TaskService) {
        initialState = task
        self.service = service
    }

    public func mutate(action: Action) -> Observable<Mutation> {
        let id = initialState.id
        let change =
            switch action {
            case .toggleDone: currentState.isDone ? service.markAsUndone(id: id) : service.markAsDone(id: id)
            case .delete: service.delete(id: id)
            }
        return change.flatMap { _ in Observable<Mutation>.empty() }
    }

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
