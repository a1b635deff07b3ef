// RxTodo: a list of tasks, the worked example of RxReactor. There is no user interface here, only what one would be bound to.
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
// What it shows
// * The service has the tasks and tells what happens to them. Whoever changes one asks the service; whoever shows one
//   follows its events, merged with its own mutations in `transform(mutation:)`. So two lists show the same.
// * The state of the list has its tasks by key: a task that changes is one update of one row, and costs that.
// * A row has a reactor of its own, which follows its task. `TaskCells` keeps those of the rows that are shown.
// * The edit reactor keeps what is not saved yet, and asks before that is thrown away.
//
// Reading order: TodoTask, TaskEvent, TaskService, TaskListReactor, TaskCellReactor, TaskCells, TaskEditReactor.
