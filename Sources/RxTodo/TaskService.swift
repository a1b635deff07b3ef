public import Rx
public import RxReactor

/// Owns the tasks, in memory, and sends an event for each change.
///
/// The observables that change a task do so at each subscription. Any thread.
public final class TaskService: Sendable {
    private struct Contents {
        var tasks: KeyedList<TodoTask>
        /// Events that were not sent yet, in order.
        var pending: [TaskEvent] = []
        var isSending = false
    }

    private let contents: Locked<Contents>
    private let subject = PublishSubject<TaskEvent>()
    private let makeID: @Sendable () -> TodoTask.ID

    /// Creates a service with `tasks`, in order. `makeID` returns a new, unique identity for each task.
    public init(
        _ tasks: some Sequence<TodoTask> = [],
        makeID: @escaping @Sendable () -> TodoTask.ID = { String(UInt64.random(in: 0...UInt64.max), radix: 36) }
    ) {
        contents = Locked(Contents(tasks: KeyedList(tasks)))
        self.makeID = makeID
    }

    /// The events from now on, in order.
    public var events: Observable<TaskEvent> { subject }

    /// Emits the current tasks once, in the order of the list.
    public func tasks() -> Observable<KeyedList<TodoTask>> {
        .deferred { [self] in .just(contents.withLock { $0.tasks }) }
    }

    /// Replaces the tasks with those of a follower's restored state, without an event.
    public func restore(_ tasks: KeyedList<TodoTask>) {
        let before = contents.withLock { contents in
            defer { contents.tasks = tasks }
            return contents.tasks
        }
        withExtendedLifetime(before) {}
    }

    /// Inserts a new task at the beginning of the list.
    public func create(title: String, memo: String = "") -> Observable<TodoTask> {
        .deferred { [self] in
            let task = TodoTask(id: makeID(), title: title, memo: memo)
            change { tasks in
                tasks.insert(task, at: 0)
                return .create(task)
            }
            return .just(task)
        }
    }

    /// Replaces the title and the memo of a task; fails with `TaskServiceError.noTask` if it does not exist.
    public func update(id: TodoTask.ID, title: String, memo: String) -> Observable<TodoTask> {
        changing(id) { task, _ in
            task.title = title
            task.memo = memo
            return .update(task)
        }
    }

    /// Marks a task as done; fails with `TaskServiceError.noTask` if it does not exist.
    public func markAsDone(id: TodoTask.ID) -> Observable<TodoTask> {
        changing(id) { task, _ in
            task.isDone = true
            return .markAsDone(id: id)
        }
    }

    /// Marks a task as not done; fails with `TaskServiceError.noTask` if it does not exist.
    public func markAsUndone(id: TodoTask.ID) -> Observable<TodoTask> {
        changing(id) { task, _ in
            task.isDone = false
            return .markAsUndone(id: id)
        }
    }

    /// Deletes a task and emits it; fails with `TaskServiceError.noTask` if it does not exist.
    public func delete(id: TodoTask.ID) -> Observable<TodoTask> {
        changing(id) { _, tasks in
            tasks.remove(id: id)
            return .delete(id: id)
        }
    }

    /// Moves a task to a position in the list without it; a position beyond the end is the end. Fails with
    /// `TaskServiceError.noTask` if the task does not exist.
    public func move(id: TodoTask.ID, to position: Int) -> Observable<TodoTask> {
        changing(id) { _, tasks in
            let position = min(max(position, 0), tasks.count - 1)
            tasks.move(id: id, to: position)
            return .move(id: id, to: position)
        }
    }

    /// Changes a task; fails with `TaskServiceError.noTask` if it does not exist.
    private func changing(
        _ id: TodoTask.ID,
        _ body: @escaping @Sendable (_ task: inout TodoTask, _ tasks: inout KeyedList<TodoTask>) -> TaskEvent
    ) -> Observable<TodoTask> {
        .deferred { [self] in
            let known = Locked<TodoTask?>(nil)
            change { tasks in
                guard var task = tasks[id: id] else { return nil }
                let event = body(&task, &tasks)
                tasks.update(id: id) { $0 = task }
                known.withLock { $0 = task }
                return event
            }
            return known.withLock { $0 }.map { .just($0) } ?? .error(TaskServiceError.noTask(id))
        }
    }

    /// Changes the tasks and sends the event. If another thread is sending, that thread sends it.
    private func change(_ body: (inout KeyedList<TodoTask>) -> TaskEvent?) {
        contents.withLock { contents in
            if let event = body(&contents.tasks) { contents.pending.append(event) }
        }
        while let events = takePending() {
            for event in events { subject.onNext(event) }
            contents.withLock { $0.isSending = false }
        }
    }

    private func takePending() -> [TaskEvent]? {
        contents.withLock { contents in
            if contents.isSending || contents.pending.isEmpty { return nil }
            contents.isSending = true
            defer { contents.pending = [] }
            return contents.pending
        }
    }
}

/// Why a change of a task fails.
public enum TaskServiceError: Error, Equatable, CustomStringConvertible {
    /// No task has this identity.
    case noTask(TodoTask.ID)

    /// A sentence for users.
    public var description: String {
        switch self {
        case .noTask(let id): "there is no task \(id)"
        }
    }
}
