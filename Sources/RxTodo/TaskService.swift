public import Rx
public import RxReactor

/// Has the tasks, in memory, and tells what happens to them.
///
/// What changes a task does so when it is subscribed, each time it is, and from any thread.
public final class TaskService: Sendable {
    private struct Contents {
        var tasks: KeyedList<TodoTask>
        /// What has happened and was not told yet, in its order.
        var untold: [TaskEvent] = []
        var isTelling = false
    }

    private let contents: Locked<Contents>
    private let told = PublishSubject<TaskEvent>()
    private let makeID: @Sendable () -> TodoTask.ID

    /// - Parameter makeID: makes the identity of a new task, another one each time.
    public init(
        _ tasks: some Sequence<TodoTask> = [],
        makeID: @escaping @Sendable () -> TodoTask.ID = { String(UInt64.random(in: 0...UInt64.max), radix: 36) }
    ) {
        contents = Locked(Contents(tasks: KeyedList(tasks)))
        self.makeID = makeID
    }

    /// What happens from now on, in the order in which it does.
    public var events: Observable<TaskEvent> { told }

    public func tasks() -> Observable<KeyedList<TodoTask>> {
        .deferred { [self] in .just(contents.withLock { $0.tasks }) }
    }

    /// Has other tasks from now on, those of who follows it: so nothing is told.
    public func restore(_ tasks: KeyedList<TodoTask>) {
        let before = contents.withLock { contents in
            defer { contents.tasks = tasks }
            return contents.tasks
        }
        withExtendedLifetime(before) {}
    }

    /// Puts a new task to the beginning of the list.
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

    public func update(id: TodoTask.ID, title: String, memo: String) -> Observable<TodoTask> {
        changing(id) { task, _ in
            task.title = title
            task.memo = memo
            return .update(task)
        }
    }

    public func markAsDone(id: TodoTask.ID) -> Observable<TodoTask> {
        changing(id) { task, _ in
            task.isDone = true
            return .markAsDone(id: id)
        }
    }

    public func markAsUndone(id: TodoTask.ID) -> Observable<TodoTask> {
        changing(id) { task, _ in
            task.isDone = false
            return .markAsUndone(id: id)
        }
    }

    /// Sends the task as it was.
    public func delete(id: TodoTask.ID) -> Observable<TodoTask> {
        changing(id) { _, tasks in
            tasks.remove(id: id)
            return .delete(id: id)
        }
    }

    /// Moves a task to a position of the list without it; beyond the end is the end.
    public func move(id: TodoTask.ID, to position: Int) -> Observable<TodoTask> {
        changing(id) { _, tasks in
            let position = min(max(position, 0), tasks.count - 1)
            tasks.move(id: id, to: position)
            return .move(id: id, to: position)
        }
    }

    /// Does something with a task; fails with `TaskServiceError.noTask` if it is not there.
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

    /// Changes the tasks and tells it, unless someone is telling: then that one goes on.
    private func change(_ body: (inout KeyedList<TodoTask>) -> TaskEvent?) {
        contents.withLock { contents in
            if let event = body(&contents.tasks) { contents.untold.append(event) }
        }
        while let events = takeUntold() {
            for event in events { told.onNext(event) }
            contents.withLock { $0.isTelling = false }
        }
    }

    private func takeUntold() -> [TaskEvent]? {
        contents.withLock { contents in
            if contents.isTelling || contents.untold.isEmpty { return nil }
            contents.isTelling = true
            defer { contents.untold = [] }
            return contents.untold
        }
    }
}

public enum TaskServiceError: Error, Equatable, CustomStringConvertible {
    /// There is no task of this identity, or no longer.
    case noTask(TodoTask.ID)

    public var description: String {
        switch self {
        case .noTask(let id): "there is no task \(id)"
        }
    }
}
