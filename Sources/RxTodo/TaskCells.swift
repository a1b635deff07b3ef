internal import Rx
public import RxReactor

/// The reactors of the visible rows, by the keys of their tasks: made on demand, dropped with their tasks.
public final class TaskCells: Sendable {
    private let service: TaskService
    private let cells = Locked<[TodoTask.ID: TaskCellReactor]>([:])

    /// Creates an empty set of rows for the tasks of `service`.
    public init(_ service: TaskService) {
        self.service = service
    }

    /// The reactor of this task's row, always the same one.
    public func cell(for task: TodoTask) -> TaskCellReactor {
        let made = TaskCellReactor(task, service)
        let (cell, isNew) = cells.withLock { cells in
            if let cell = cells[task.id] { return (cell, false) }
            cells[task.id] = made
            return (made, true)
        }
        // The first use of its state makes it follow its task.
        if isNew { _ = cell.state }
        return cell
    }

    /// Drops the reactors of removed tasks.
    public func follow(_ event: KeyedListEvent<TodoTask>) {
        let dropped: [TaskCellReactor] = cells.withLock { cells in
            switch event {
            case .snapshot(let tasks):
                let ids = Set(tasks.map(\.id))
                let gone = cells.filter { !ids.contains($0.key) }
                for id in gone.keys { cells[id] = nil }
                return Array(gone.values)
            case .changes(let changes):
                return changes.steps.compactMap { step in
                    switch step {
                    case .delete(let id, _): cells.removeValue(forKey: id)
                    case .insert, .move, .update: nil
                    }
                }
            }
        }
        withExtendedLifetime(dropped) {}
    }

    /// The number of rows that have a reactor.
    public var count: Int { cells.withLock { $0.count } }
}
