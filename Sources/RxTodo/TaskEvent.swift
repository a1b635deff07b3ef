/// A change of a task.
public enum TaskEvent: Equatable, Sendable {
    /// A new task at the beginning of the list.
    case create(TodoTask)
    /// A new title or memo.
    case update(TodoTask)
    case delete(id: TodoTask.ID)
    /// The task's new position in the list.
    case move(id: TodoTask.ID, to: Int)
    case markAsDone(id: TodoTask.ID)
    case markAsUndone(id: TodoTask.ID)

    public var id: TodoTask.ID {
        switch self {
        case .create(let task), .update(let task): task.id
        case .delete(let id), .move(let id, _), .markAsDone(let id), .markAsUndone(let id): id
        }
    }
}
