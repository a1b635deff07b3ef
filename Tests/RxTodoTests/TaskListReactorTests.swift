import Rx
import RxBlocking
import RxReactor
import RxTodo
import TestSupport
import Testing

@Suite("The list of tasks", .leakFree)
struct TaskListReactorTests {
    private let service = makeService()

    private func loaded() -> TaskListReactor {
        let list = TaskListReactor(service)
        list.action.onNext(.refresh)
        return list
    }

    private func ids(_ list: TaskListReactor) -> [String] { list.currentState.tasks.map(\.id) }

    @Test("it has nothing before it is refreshed, then the tasks of the service")
    func refresh() {
        let list = TaskListReactor(service)
        #expect(list.currentState == .init())
        list.action.onNext(.refresh)
        #expect(
            list.currentState == .init(tasks: KeyedList((1...3).map { TodoTask(id: "\($0)", title: "task \($0)") })))
    }

    @Test("each action does what its name states")
    func actions() {
        let list = loaded()
        list.action.onNext(.toggleEditing)
        #expect(list.currentState.isEditing)
        list.action.onNext(.toggleEditing)
        #expect(!list.currentState.isEditing)
        list.action.onNext(.create(title: "new"))
        #expect(ids(list) == ["n1", "1", "2", "3"])
        list.action.onNext(.move(id: "1", to: 3))
        #expect(ids(list) == ["n1", "2", "3", "1"])
        list.action.onNext(.delete(id: "2"))
        #expect(ids(list) == ["n1", "3", "1"])
        list.action.onNext(.toggleDone(id: "3"))
        #expect(list.currentState.tasks[id: "3"]?.isDone == true)
        list.action.onNext(.toggleDone(id: "3"))
        #expect(list.currentState.tasks[id: "3"]?.isDone == false)
    }

    @Test("an update leaves what it does not name, and done is set to what is asked for")
    func updates() {
        let list = loaded()
        list.action.onNext(.update(id: "1", memo: "why"))
        list.action.onNext(.update(id: "1", title: "first"))
        #expect(list.currentState.tasks[id: "1"] == TodoTask(id: "1", title: "first", memo: "why"))
        for isDone in [true, true, false] {
            list.action.onNext(.setDone(id: "1", isDone))
            #expect(list.currentState.tasks[id: "1"]?.isDone == isDone)
        }
    }

    @Test("a list that goes on from a state that was kept has its tasks at the service, too")
    func adopts() throws {
        let service = TaskService()
        let list = TaskListReactor(service)
        let kept = TaskListReactor.State(tasks: [TodoTask(id: "k", title: "kept")])
        list.restore(kept, revision: 1)
        list.adopt(kept)
        #expect(list.currentState == kept)
        #expect(try service.tasks().toBlocking().single() == kept.tasks)
        list.action.onNext(.setDone(id: "k", true))
        #expect(list.currentState.tasks[id: "k"]?.isDone == true)
    }

    @Test("it follows what others do, and two lists show the same")
    func follows() throws {
        let one = loaded(), other = loaded()
        other.action.onNext(.toggleDone(id: "1"))
        _ = try service.update(id: "2", title: "second", memo: "").toBlocking().single()
        #expect(one.currentState.tasks[id: "1"]?.isDone == true)
        #expect(one.currentState.tasks[id: "2"]?.title == "second")
        #expect(one.currentState == other.currentState)
    }

    @Test("one task that changes is one keyed update, however long the list is")
    func keyed() {
        let service = TaskService((0..<1_000).map { TodoTask(id: "\($0)", title: "\($0)") })
        let list = TaskListReactor(service)
        list.action.onNext(.refresh)
        let events = Kept(list.state.map(\.tasks).keyedChanges())
        list.action.onNext(.toggleDone(id: "500"))
        guard case .changes(let changes) = events.last else {
            Issue.record("no changes")
            return
        }
        #expect(changes.steps == [.update(TodoTask(id: "500", title: "500", isDone: true), at: 500)])
        list.action.onNext(.toggleEditing)
        #expect(events.all.count == 2)
    }

    @Test("what the service refuses is reported on errors, and the list lives on")
    func errors() {
        let list = loaded()
        let errors = Kept(list.errors)
        list.action.onNext(.delete(id: "9"))
        guard case .mutate(let error) = errors.last else {
            Issue.record("no error")
            return
        }
        #expect(error as? TaskServiceError == .noTask("9"))
        list.action.onNext(.delete(id: "1"))
        #expect(ids(list) == ["2", "3"])
    }
}
