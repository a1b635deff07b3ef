public import Rx
public import RxReactor

/// The list of tasks.
public final class TaskListReactor: Reactor {
    /// What a user can do with the list.
    public enum Action: Equatable, Sendable {
        /// Replaces the list with that of the service.
        case refresh
        /// Begins or ends the editing mode.
        case toggleEditing
        /// Inserts a new task at the beginning of the list.
        case create(title: String, memo: String = "")
        /// Nil leaves a member as it is.
        case update(id: TodoTask.ID, title: String? = nil, memo: String? = nil)
        /// Marks a task as done or not done.
        case setDone(id: TodoTask.ID, Bool)
        /// Marks a task as not done if it is done, otherwise as done.
        case toggleDone(id: TodoTask.ID)
        /// Deletes a task.
        case delete(id: TodoTask.ID)
        /// Moves a task to a position in the list without it; a position beyond the end is the end.
        case move(id: TodoTask.ID, to: Int)
    }

    /// A change of the state.
    public enum Mutation: Equatable, Sendable {
        /// Replaces all tasks.
        case setTasks(KeyedList<TodoTask>)
        /// Begins or ends the editing mode.
        case toggleEditing
        /// An event of the service, whoever caused it.
        case follow(TaskEvent)
    }

    /// What the list shows.
    public struct State: Equatable, Sendable {
        /// Whether rows can be moved and deleted.
        public var isEditing: Bool
        /// The tasks by identity, in the order of the list.
        public var tasks: KeyedList<TodoTask>

        /// Creates a state.
        public init(isEditing: Bool = false, tasks: KeyedList<TodoTask> = []) {
            self.isEditing = isEditing
            self.tasks = tasks
        }
    }

    /// The state before the first mutation.
    public let initialState: State
    /// The reactor's storage, which `Reactor` requires.
    public let store = Store()
    private let service: TaskService

    /// Creates a reactor that follows the events of `service` once its state is used.
    public init(_ service: TaskService, initialState: State = State()) {
        self.service = service
        self.initialState = initialState
    }

    /// Changes tasks through the service. Only a failure is emitted here; the change arrives as an event.
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

    /// Merges the events of the service into the mutations.
    public func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
        .merge(mutation, service.events.map { .follow($0) })
    }

    /// Applies a mutation to a state.
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
