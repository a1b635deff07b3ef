public import Rx
public import RxReactor

/// The list of tasks.
public final class TaskListReactor: Reactor {
    public enum Action: Equatable, Sendable {
        /// Take the list of the service in place of the one known.
        case refresh
        case toggleEditing
        case create(title: String, memo: String = "")
        /// What is nil stays as it is.
        case update(id: TodoTask.ID, title: String? = nil, memo: String? = nil)
        case setDone(id: TodoTask.ID, Bool)
        case toggleDone(id: TodoTask.ID)
        case delete(id: TodoTask.ID)
        case move(id: TodoTask.ID, to: Int)
    }

    public enum Mutation: Equatable, Sendable {
        case setTasks(KeyedList<TodoTask>)
        case toggleEditing
        /// It has happened at the service, on whose behalf ever.
        case follow(TaskEvent)
    }

    public struct State: Equatable, Sendable {
        public var isEditing: Bool
        public var tasks: KeyedList<TodoTask>

        public init(isEditing: Bool = false, tasks: KeyedList<TodoTask> = []) {
            self.isEditing = isEditing
            self.tasks = tasks
        }
    }

    public let initialState: State
    public let store = Store()
    private let service: TaskService

    public init(_ service: TaskService, initialState: State = State()) {
        self.service = service
        self.initialState = initialState
    }

    public func mutate(action: Action) -> Observable<Mutation> {
        switch action {
        case .refresh: service.tasks().map { .setTasks($0) }
        case .toggleEditing: .just(.toggleEditing)
        case .create(let title, let memo): told(service.create(title: title, memo: memo))
        case .update(let id, let title, let memo): told(update(id, title, memo))
        case .setDone(let id, let isDone): told(setDone(id, isDone))
        case .toggleDone(let id): told(setDone(id, currentState.tasks[id: id]?.isDone != true))
        case .delete(let id): told(service.delete(id: id))
        case .move(let id, let position): told(service.move(id: id, to: position))
        }
    }

    private func update(_ id: TodoTask.ID, _ title: String?, _ memo: String?) -> Observable<TodoTask> {
        let known = currentState.tasks[id: id]
        return service.update(id: id, title: title ?? known?.title ?? "", memo: memo ?? known?.memo ?? "")
    }

    private func setDone(_ id: TodoTask.ID, _ isDone: Bool) -> Observable<TodoTask> {
        isDone ? service.markAsDone(id: id) : service.markAsUndone(id: id)
    }

    /// The state is not of its own doing, but one that was kept: the service has these tasks, too.
    public func adopt(_ state: State) { service.restore(state.tasks) }

    /// What the service does it tells in its events; only its failure is of interest here.
    private func told(_ change: Observable<TodoTask>) -> Observable<Mutation> {
        // Cheaper than a `flatMap` to nothing.
        change.compactMap { _ in nil }
    }

    public func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
        .merge(mutation, service.events.map { .follow($0) })
    }

    public func reduce(state: State, mutation: Mutation) -> State {
        var state = state
        switch mutation {
        case .setTasks(let tasks): state.tasks = tasks
        case .toggleEditing: state.isEditing.toggle()
        case .follow(let event): state.tasks.follow(event)
        }
        return state
    }
}

extension KeyedList<TodoTask> {
    /// Does what the service did. An event that the list has seen already, in a refresh, changes nothing.
    mutating func follow(_ event: TaskEvent) {
        switch event {
        case .create(let task): insert(task, at: 0)
        case .update(let task):
            update(id: task.id) { known in
                known.title = task.title
                known.memo = task.memo
            }
        case .delete(let id): remove(id: id)
        case .move(let id, let position): if contains(id: id) { move(id: id, to: Swift.min(position, count - 1)) }
        case .markAsDone(let id): update(id: id) { $0.isDone = true }
        case .markAsUndone(let id): update(id: id) { $0.isDone = false }
        }
    }
}
