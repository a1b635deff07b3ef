import Dispatch
import Rx
import RxBlocking
import RxReactor
import RxTodo
import TestSupport
import Testing

@Suite("The task service", .leakFree)
struct TaskServiceTests {
    private let service = makeService()

    @Test("each change is published, and what there is has it")
    func changes() throws {
        let events = Kept(service.events)
        #expect(try service.create(title: "new", memo: "m").toBlocking().single().id == "n1")
        _ = try service.update(id: "2", title: "second", memo: "x").toBlocking().single()
        _ = try service.markAsDone(id: "1").toBlocking().single()
        _ = try service.markAsDone(id: "3").toBlocking().single()
        _ = try service.markAsUndone(id: "3").toBlocking().single()
        _ = try service.move(id: "3", to: 0).toBlocking().single()
        #expect(try service.delete(id: "1").toBlocking().single().title == "task 1")
        #expect(
            events.all == [
                .create(TodoTask(id: "n1", title: "new", memo: "m")),
                .update(TodoTask(id: "2", title: "second", memo: "x")),
                .markAsDone(id: "1"), .markAsDone(id: "3"), .markAsUndone(id: "3"), .move(id: "3", to: 0),
                .delete(id: "1"),
            ])
        let tasks = try service.tasks().toBlocking().single()
        #expect(
            Array(tasks) == [
                TodoTask(id: "3", title: "task 3"), TodoTask(id: "n1", title: "new", memo: "m"),
                TodoTask(id: "2", title: "second", memo: "x"),
            ])
    }

    @Test("nothing happens until it is subscribed, and what is not there fails")
    func cold() throws {
        let events = Kept(service.events)
        _ = service.delete(id: "1")
        #expect(events.all.isEmpty)
        for change in [
            service.delete(id: "9"), service.markAsDone(id: "9"), service.move(id: "9", to: 0),
            service.update(id: "9", title: "", memo: ""),
        ] {
            #expect(throws: TaskServiceError.noTask("9")) { try change.toBlocking().first() }
        }
        #expect(events.all.isEmpty)
    }

    @Test("who follows the events of several threads ends with what the service has")
    func concurrent() async throws {
        let followed = Locked(try service.tasks().toBlocking().single().map(\.id))
        let subscription = service.events.subscribe(onNext: { event in
            followed.withLock { ids in
                switch event {
                case .create(let task): ids.insert(task.id, at: 0)
                case .delete(let id): ids.removeAll { $0 == id }
                case .move(let id, let position):
                    ids.removeAll { $0 == id }
                    ids.insert(id, at: position)
                case .update, .markAsDone, .markAsUndone: break
                }
            }
        })
        let queue = DispatchQueue(label: "threads", attributes: .concurrent)
        await withCheckedContinuation { continuation in
            let group = DispatchGroup()
            for thread in 0..<4 {
                queue.async(group: group) { [service] in
                    for index in 0..<100 {
                        _ = service.create(title: "\(index)").subscribe(onNext: { task in
                            if index % 3 == 0 { _ = service.move(id: task.id, to: thread).subscribe() }
                            if index % 5 == 0 { _ = service.delete(id: task.id).subscribe() }
                        })
                    }
                }
            }
            group.notify(queue: queue) { continuation.resume() }
        }
        #expect(followed.withLock { $0 } == (try service.tasks().toBlocking().single().map(\.id)))
        subscription.dispose()
    }
}
