import Rx
import RxReactor
import RxTest
import RxTodo
import Testing
import TestSupport

@Suite("A row of the list", .leakFree)
struct TaskCellReactorTests {
    private let service = makeService()

    @Test("it follows its own task, and no other")
    func follows() {
        let cell = TaskCellReactor(TodoTask(id: "2", title: "task 2"), service)
        let states = Kept(cell.state)
        _ = service.markAsDone(id: "1").subscribe()
        _ = service.update(id: "2", title: "second", memo: "m").subscribe()
        cell.action.onNext(.toggleDone)
        cell.action.onNext(.toggleDone)
        #expect(states.all.map(\.title) == ["task 2", "second", "second", "second"])
        #expect(states.all.map(\.isDone) == [false, false, true, false])
    }

    @Test("what a row does, the list shows")
    func list() {
        let list = TaskListReactor(service)
        list.action.onNext(.refresh)
        let cell = TaskCellReactor(list.currentState.tasks[0], service)
        cell.action.onNext(.toggleDone)
        #expect(list.currentState.tasks[id: "1"]?.isDone == true)
        cell.action.onNext(.delete)
        #expect(list.currentState.tasks.map(\.id) == ["2", "3"])
    }

    @Test("cells are kept by key: the same one for a task that changed or moved, none for one that is gone")
    func cells() {
        let list = TaskListReactor(service)
        list.action.onNext(.refresh)
        let cells = TaskCells(service)
        let following = list.state.map(\.tasks).keyedChanges().subscribe(onNext: { cells.follow($0) })
        let first = cells.cell(for: list.currentState.tasks[0])
        _ = cells.cell(for: list.currentState.tasks[1])
        list.action.onNext(.toggleDone(id: "1"))
        list.action.onNext(.move(id: "1", to: 2))
        #expect(cells.cell(for: list.currentState.tasks[2]) == first)
        #expect(first.currentState.isDone)
        #expect(cells.count == 2)
        list.action.onNext(.delete(id: "2"))
        #expect(cells.count == 1)
        following.dispose()
    }
}
