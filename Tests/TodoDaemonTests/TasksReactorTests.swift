import RxRecords
import Rx
import RxHost
import RxJSON
import RxReactor
import RxTodo
import Testing
import TestSupport

@testable import TodoDaemon

@Suite("The hosted reactor of tasks", .countedApart)
struct TasksReactorTests {
    private let host: Host

    init() throws {
        host = Host([], reactors: [tasksDefinition(name: "todo", summary: "What is to be done.")])
        try host.startReactors()
    }

    private var reactor: HostedReactor { get throws { try #require(host.registry.reactor("todo")) } }

    /// What is answered, which is at once.
    @discardableResult
    private func dispatch(_ action: JSONValue) throws -> Result<UInt64, DispatchRefusal> {
        let answer = Answer()
        try reactor.dispatch(RawJSON(action), by: .host) { answer.value = $0 }
        return try #require(answer.value)
    }

    private var tasks: [JSONValue] { get throws { try reactor.now.state.tree["tasks"]?.array ?? [] } }
    private var titles: [String] { get throws { try tasks.compactMap { $0["title"]?.string } } }

    private func id(_ title: String) throws -> JSONValue {
        try #require(try tasks.first { $0["title"]?.string == title }?["id"])
    }

    @Test("it begins with no tasks")
    func empty() throws {
        #expect(try reactor.now.state.tree == ["tasks": []])
    }

    @Test("each action does what its name states")
    func actions() throws {
        for title in ["a", "b", "c"] { try dispatch(["create": ["title": .string(title)]]) }
        #expect(try titles == ["c", "b", "a"])
        try dispatch(["move": ["id": id("a"), "to": 0]])
        #expect(try titles == ["a", "c", "b"])
        try dispatch(["move": ["id": id("a"), "to": 99]])
        #expect(try titles == ["c", "b", "a"])
        try dispatch(["update": ["id": id("b"), "memo": "why"]])
        try dispatch(["update": ["id": id("b"), "title": "B"]])
        #expect(try tasks[1] == ["id": id("B"), "title": "B", "memo": "why", "done": false])
        try dispatch(["done": id("B")])
        #expect(try tasks.map { $0["done"]?.bool } == [false, true, false])
        try dispatch(["toggle": id("B")])
        try dispatch(["toggle": id("a")])
        #expect(try tasks.map { $0["done"]?.bool } == [false, false, true])
        try dispatch(["undone": id("a")])
        #expect(try tasks.allSatisfy { $0["done"] == false })
        try dispatch(["delete": id("c")])
        #expect(try titles == ["B", "a"])
        #expect(try reactor.now.revision == 12)
    }

    @Test("an action on a task that is not there fails, and changes nothing", arguments: ["done", "toggle", "delete"])
    func missing(action: String) throws {
        guard case .failure(.failed(let fault)) = try dispatch(.object([action: "nobody"])) else {
            Issue.record("it was answered otherwise")
            return
        }
        #expect(fault.stage == .mutate)
        #expect(fault.message == "there is no task nobody")
        #expect(fault.input == RawJSON(.object([action: "nobody"])))
        #expect(try reactor.now.revision == 0)
    }

    @Test(
        "what is no action is refused",
        arguments: [
            "null", #""create""#, "{}", #"{"paint":"x"}"#, #"{"create":{}}"#, #"{"create":{"title":""}}"#,
            #"{"create":{"title":"a","done":true}}"#, #"{"done":7}"#, #"{"done":""}"#,
            #"{"move":{"id":"a","to":-1}}"#, #"{"move":{"id":"a","to":0.5}}"#, #"{"update":{"title":"a"}}"#,
            #"{"done":"a","undone":"a"}"#,
        ])
    func refused(action: String) throws {
        guard case .failure(.input(let faults)) = try dispatch(RawJSON(validating: action).value()) else {
            Issue.record("\(action) was taken")
            return
        }
        #expect(!faults.isEmpty)
    }

    @Test("mutations and states that are kept are read again")
    func kept() throws {
        let coding = ReactorCoding<TaskListReactor>.tasks
        let task = TodoTask(id: "1", title: "a", memo: "m", isDone: true)
        let mutations: [TaskListReactor.Mutation] = [
            .setTasks([task]), .toggleEditing, .follow(.create(task)), .follow(.update(task)),
            .follow(.delete(id: "1")), .follow(.move(id: "1", to: 3)), .follow(.markAsDone(id: "1")),
            .follow(.markAsUndone(id: "1")),
        ]
        for mutation in mutations { #expect(coding.replayed?(coding.mutation(mutation)) == mutation) }
        let state = TaskListReactor.State(tasks: [task])
        #expect(coding.restored(coding.state(state).tree) == state)
        #expect(coding.restored(["tasks": [task.json, task.json]]) == nil)
        #expect(coding.restored(["tasks": [["id": "1"]]]) == nil)
        #expect(coding.restored([]) == nil)
    }

    @Test("tasks that were restored or replayed can be changed: the service has them, too")
    func adopted() throws {
        let engine = tasksDefinition(name: "t").makeEngine()
        let told = Told()
        let task = TodoTask(id: "1", title: "a")
        _ = try engine.start(from: ["tasks": [task.json]], outlet: told)
        try engine.replay(RawJSON(["create": TodoTask(id: "2", title: "b").json]))
        for id in ["1", "2"] {
            engine.dispatch(ReactorInput(RawJSON(["done": .string(id)]), by: .host)) { #expect($0 == nil) }
        }
        #expect(told.state?["tasks"]?.array?.map { $0["done"]?.bool } == [true, true])
        #expect(told.inputs == [nil, #"{"done":"1"}"#, #"{"done":"2"}"#])
    }

    @Test("each mutation states to the byte how much longer it makes the list")
    func growth() throws {
        var numbers = SystemRandomNumberGenerator()
        let reactor = TaskListReactor(TaskService())
        var state = reactor.initialState
        var bytes = TasksState(state.tasks).tree.bytes(upTo: .max)
        func text() -> String { ["", "a", "milk", "\"ÿ\n", "日本語"].randomElement(using: &numbers) ?? "" }
        for _ in 0..<2000 {
            // Few enough that most are there, and some are not.
            let id = "\(Int.random(in: 0..<20, using: &numbers))"
            let task = TodoTask(id: id, title: text(), memo: text(), isDone: .random(using: &numbers))
            let mutations: [TaskListReactor.Mutation] = [
                .follow(.create(task)), .follow(.create(task)), .follow(.update(task)), .follow(.delete(id: id)),
                .follow(.move(id: id, to: 3)), .follow(.markAsDone(id: id)), .follow(.markAsUndone(id: id)),
                .toggleEditing, .setTasks(KeyedList([task, TodoTask(id: "x", title: "")].shuffled(using: &numbers))),
            ]
            let index = Int.random(in: 0..<160, using: &numbers)
            let mutation = mutations[index == 0 ? 8 : index % 8]
            let after = reactor.reduce(state: state, mutation: mutation)
            bytes += mutation.growth(from: state.tasks, to: after.tasks)
            state = after
            try #require(bytes == TasksState(state.tasks).tree.bytes(upTo: .max), "\(mutation)")
        }
    }

    @Test("a list that is full takes no more, forgets what it did not take, and has room again for what goes")
    func full() throws {
        let service = TaskService()
        let definition = ReactorDefinition(
            name: "todo", kind: "swift", fingerprint: "", stateBytes: 300, coding: .tasks,
            make: { TaskListReactor(service) })
        let host = Host([], reactors: [definition])
        try host.startReactors()
        let reactor = try #require(host.registry.reactor("todo"))
        func dispatch(_ action: JSONValue) throws -> Result<UInt64, DispatchRefusal> {
            let answer = Answer()
            reactor.dispatch(RawJSON(action), by: .host) { answer.value = $0 }
            return try #require(answer.value)
        }
        func titles() -> [JSONValue] { reactor.now.state.tree["tasks"]?.array?.compactMap { $0["title"] } ?? [] }
        let title = JSONValue.string(String(repeating: "x", count: 200))
        _ = try dispatch(["create": ["title": "tea"]]).get()
        _ = try dispatch(["create": ["title": "milk"]]).get()
        let full = reactor.now
        for action: JSONValue in [
            ["create": ["title": title]],
            ["update": ["id": full.state.tree["tasks"]?[0]?["id"] ?? .null, "memo": title]],
        ] {
            guard case .failure(.failed(let fault)) = try dispatch(action) else {
                Issue.record("taken: \(action)")
                continue
            }
            #expect(fault == ReactorFault(.size, "the state would be longer than 300 bytes", input: RawJSON(action)))
            #expect(reactor.now.revision == full.revision)
            #expect(reactor.now.state.tree == full.state.tree)
        }
        // What the service did meanwhile is undone.
        let known = Locked<KeyedList<TodoTask>>([])
        service.tasks().subscribe(onNext: { tasks in known.withLock { $0 = tasks } }).dispose()
        #expect(TasksState(known.withLock { $0 }).tree == full.state.tree)
        _ = try dispatch(["delete": #require(full.state.tree["tasks"]?[0]?["id"])]).get()
        #expect(titles() == ["tea"])
        guard case .failure(.failed) = try dispatch(["create": ["title": title]]) else {
            Issue.record("there is no room for it")
            return
        }
        _ = try dispatch(["delete": #require(reactor.now.state.tree["tasks"]?[0]?["id"])]).get()
        _ = try dispatch(["create": ["title": title]]).get()
        #expect(titles() == [title])
    }

    @Test("a patch names what has changed, by its place")
    func patches() throws {
        let old = TasksState(KeyedList((0..<10_000).map { TodoTask(id: "\($0)", title: "task \($0)") }))
        var list = old.tasks
        list.update(id: "7000") { $0.isDone = true }
        let path = JSONPointer(tokens: ["tasks", "7000", "done"])
        #expect(TasksState(list).patch(from: old) == JSONPatch([.replace(path, true)]))
        #expect(TasksState(list).patch(from: JSONState(.null)).operations.count == 1)
    }
}

// Unchecked: of one thread.
private final class Answer: @unchecked Sendable {
    var value: Result<UInt64, DispatchRefusal>?
}

// Unchecked: of one thread.
private final class Told: ReactorOutlet, @unchecked Sendable {
    var state: JSONValue?
    var inputs: [String?] = []

    func reduced(_ step: ReactorStep) {
        state = step.state.tree
        inputs.append(step.input?.action.text)
    }

    func failed(_ fault: ReactorFault) { Issue.record("\(fault)") }
}
