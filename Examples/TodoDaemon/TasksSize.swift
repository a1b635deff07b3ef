internal import RxReactor
internal import RxTodo

// The length of the list as JSON, as `JSONValue.bytes(upTo:)` counts it, at a cost that follows the change.

extension TodoTask {
    var bytes: Int {
        // {"id":"","title":"","memo":"","done":}
        38 + id.utf8.count + title.utf8.count + memo.utf8.count + (isDone ? 4 : 5)
    }
}

extension TaskListReactor.Mutation {
    /// The number of bytes by which this mutation made the list longer; negative if it became shorter.
    func growth(from before: KeyedList<TodoTask>, to after: KeyedList<TodoTask>) -> Int {
        let id: TodoTask.ID
        switch self {
        case .toggleEditing, .follow(.move): return 0
        case .setTasks: return after.bytes - before.bytes
        case .follow(.create(let task)), .follow(.update(let task)): id = task.id
        case .follow(.delete(let task)), .follow(.markAsDone(let task)), .follow(.markAsUndone(let task)): id = task
        }
        let difference = (after[id: id]?.bytes ?? 0) - (before[id: id]?.bytes ?? 0)
        return difference + after.commas - before.commas
    }
}

extension KeyedList<TodoTask> {
    fileprivate var bytes: Int { reduce(commas) { $0 + $1.bytes } }
    fileprivate var commas: Int { Swift.max(count, 1) - 1 }
}
