/// What has happened to a task.
public enum TaskEvent: Equatable, Sendable {
    /// A new task is at the beginning of the list.
    case create(TodoTask)
    /// Its title or memo is another.
    case update(TodoTask)
    case delete(id: TodoTask.ID)
    /// It is at this position of the list now.
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
