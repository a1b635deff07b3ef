/// A change of a task.
public enum TaskEvent: Equatable, Sendable {
    /// A new task at the beginning of the list.
    case create(TodoTask)
    /// A new title or memo.
    case update(TodoTask)
    /// The task was removed from the list.
    case delete(id: TodoTask.ID)
    /// The task's new position in the list.
    case move(id: TodoTask.ID, to: Int)
    /// The task was marked as done.
    case markAsDone(id: TodoTask.ID)
    /// The task was marked as not done.
    case markAsUndone(id: TodoTask.ID)

    /// The identity of the changed task.
    public var id: TodoTask.ID {
        switch self {
        case .create(let task), .update(let task): task.id
        case .delete(let id), .move(let id, _), .markAsDone(let id), .markAsUndone(let id): id
        }
    }
}
