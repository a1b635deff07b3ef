// RxTodo: a list of tasks, the worked example of RxReactor. It has no user interface; Examples/TodoDaemon hosts it.
//
//     let service = TaskService()
//     let list = TaskListReactor(service)
//     let rows = list.state.map(\.tasks).keyedChanges().subscribe(onNext: { event in
//         switch event {
//         case .snapshot(let tasks): print(tasks.map(\.title))
//         case .changes(let changes): for step in changes.steps { print(step) }
//         }
//     })
//     list.action.onNext(.create(title: "water the plants"))  // prints insert(…, at: 0)
//     rows.dispose()
//
// It shows:
// * A shared service owns the tasks and sends events. A reactor changes tasks through the service and merges the events
//   in `transform(mutation:)`, so that two lists show the same tasks.
// * The state of the list has its tasks by key: a change of one task is an update of one row, at the cost of one row.
// * Each row has a reactor of its own, which follows its task. `TaskCells` keeps the reactors of the visible rows.
// * The edit reactor holds unsaved changes and asks before it discards them.
//
// Reading order: TodoTask, TaskEvent, TaskService, TaskListReactor, TaskCellReactor, TaskCells, TaskEditReactor.
