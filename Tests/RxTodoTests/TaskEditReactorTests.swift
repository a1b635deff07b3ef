import Rx
import RxReactor
import RxTest
import RxTodo
import Testing
import TestSupport

@Suite("Editing a task", .leakFree)
struct TaskEditReactorTests {
    private let service = makeService()

    @Test("a new task can be submitted once it has a title that is not blank")
    func create() {
        let edit = TaskEditReactor(.new, service)
        let events = Kept(service.events)
        edit.action.onNext(.submit)
        edit.action.onNext(.setTitle("  "))
        #expect(!edit.currentState.canSubmit)
        edit.action.onNext(.submit)
        #expect(!edit.currentState.isDismissed && events.all.isEmpty)
        edit.action.onNext(.setTitle("new"))
        edit.action.onNext(.setMemo("m"))
        #expect(edit.currentState.canSubmit)
        edit.action.onNext(.submit)
        #expect(edit.currentState.isDismissed)
        #expect(events.all == [.create(TodoTask(id: "n1", title: "new", memo: "m"))])
        // Once is enough.
        edit.action.onNext(.submit)
        #expect(events.all.count == 1)
    }

    @Test("a task that is edited is updated, if anything changed")
    func update() {
        let edit = TaskEditReactor(.edit(TodoTask(id: "2", title: "task 2")), service)
        let events = Kept(service.events)
        #expect(edit.currentState.title == "task 2" && !edit.currentState.canSubmit)
        edit.action.onNext(.setTitle("second"))
        edit.action.onNext(.submit)
        #expect(events.all == [.update(TodoTask(id: "2", title: "second"))])
    }

    @Test("cancel leaves at once when nothing would be lost, else it asks")
    func cancel() {
        let untouched = TaskEditReactor(.edit(TodoTask(id: "2", title: "task 2")), service)
        untouched.action.onNext(.cancel)
        #expect(untouched.currentState.isDismissed)

        let edit = TaskEditReactor(.new, service)
        edit.action.onNext(.setTitle("n"))
        edit.action.onNext(.cancel)
        #expect(edit.currentState.isAskingToLeave && !edit.currentState.isDismissed)
        edit.action.onNext(.stay)
        #expect(!edit.currentState.isAskingToLeave && !edit.currentState.isDismissed)
        edit.action.onNext(.cancel)
        edit.action.onNext(.leave)
        #expect(!edit.currentState.isAskingToLeave && edit.currentState.isDismissed)
    }

    @Test("what the service refuses is reported, and the text is kept")
    func refused() {
        let edit = TaskEditReactor(.edit(TodoTask(id: "9", title: "gone")), service)
        let errors = Kept(edit.errors)
        edit.action.onNext(.setTitle("back"))
        edit.action.onNext(.submit)
        #expect(errors.all.count == 1)
        #expect(edit.currentState.title == "back" && !edit.currentState.isDismissed)
    }
}
