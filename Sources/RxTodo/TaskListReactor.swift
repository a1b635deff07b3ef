public import Rx
public import RxReactor

/// The list of tasks.
public final class TaskListReactor: Reactor {
    public enum Action: Equatable, Sendable {
        /// Replaces the list with that of the service.
        case refresh
        case toggleEditing
        case create(title: String, memo: String = "")
        /// Nil leaves a member as it is.
        case update(id: TodoTask.ID, title: String? = nil, memo: String? = nil)
        case setDone(id: TodoTask.ID, Bool)
        case toggleDone(id: TodoTask.ID)
        case delete(id: TodoTask.ID)
        case move(id: TodoTask.ID, to: Int)
    }

    public enum Mutation: Equatable, Sendable {
        case setTasks(KeyedList<TodoTask>)
        case toggleEditing
        /// An event of the service, whoever caused it.
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
        case .create(let title, let memo): failure(of: service.create(title: title, memo: memo))
        case .update(let id, let title, let memo): failure(of: update(id, title, memo))
        case .setDone(let id, let isDone): failure(of: setDone(id, isDone))
        case .toggleDone(let id): failure(of: setDone(id, currentState.tasks[id: id]?.isDone != true))
        case .delete(let id): failure(of: service.delete(id: id))
        case .move(let id, let position): failure(of: service.move(id: id, to: position))
        }
    }

    private func update(_ id: TodoTask.ID, _ title: String?, _ memo: String?) -> Observable<TodoTask> {
        let known = currentState.tasks[id: id]
        return service.update(id: id, title: title ?? known?.title ?? "", memo: memo ?? known?.memo ?? "")
    }

    private func setDone(_ id: TodoTask.ID, _ isDone: Bool) -> Observable<TodoTask> {
        isDone ? service.markAsDone(id: id) : service.markAsUndone(id: id)
    }

    /// Gives the tasks of a restored state to the service.
    public func adopt(_ state: State) { service.restore(state.tasks) }

    /// The failure of a change; its effect arrives as an event of the service.
    private func failure(of change: Observable<TodoTask>) -> Observable<Mutation> {
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
    /// Applies an event of the service. An event that a refresh already included changes nothing.
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
