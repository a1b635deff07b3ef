internal import RxHost
internal import RxJSON
internal import RxReactor
internal import RxTodo

// Tasks, actions and mutations of the task list, as JSON.

extension TodoTask {
    var json: JSONValue {
        .object(["id": .string(id), "title": .string(title), "memo": .string(memo), "done": .bool(isDone)])
    }

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let title = json["title"]?.string, let memo = json["memo"]?.string,
            let isDone = json["done"]?.bool
        else { return nil }
        self.init(id: id, title: title, memo: memo, isDone: isDone)
    }
}

extension KeyedList<TodoTask> {
    /// Nil for what is no list of tasks that are all different.
    init?(json: JSONValue?) {
        guard let elements = json?.array else { return nil }
        let tasks = elements.compactMap { TodoTask($0) }
        self.init(tasks)
        if count != elements.count { return nil }
    }
}

extension TaskListReactor.Action {
    /// Of what the schema admits; the faults here are for who asks without it.
    init(_ json: JSONValue) throws(InputFault) {
        guard let member = json.object?.members.first, json.object?.count == 1 else {
            throw InputFault(path: "", message: "must be an object with one member")
        }
        let (name, content) = (member.key, member.value)
        func text(_ key: String) throws(InputFault) -> String {
            guard let text = content[key]?.string else {
                throw InputFault(path: "/\(name)/\(key)", message: "must be a string")
            }
            return text
        }
        func optionalText(_ key: String) throws(InputFault) -> String? {
            content[key] == nil ? nil : try text(key)
        }
        func id() throws(InputFault) -> String {
            guard let id = content.string else { throw InputFault(path: "/\(name)", message: "must be a string") }
            return id
        }
        switch name {
        case "create": self = .create(title: try text("title"), memo: try optionalText("memo") ?? "")
        case "update":
            self = .update(id: try text("id"), title: try optionalText("title"), memo: try optionalText("memo"))
        case "move":
            guard let position = content["to"]?.int else {
                throw InputFault(path: "/move/to", message: "must be a whole number")
            }
            self = .move(id: try text("id"), to: position)
        case "done": self = .setDone(id: try id(), true)
        case "undone": self = .setDone(id: try id(), false)
        case "toggle": self = .toggleDone(id: try id())
        case "delete": self = .delete(id: try id())
        default: throw InputFault(path: "/\(name)", message: "is no action of the task list")
        }
    }
}

extension TaskListReactor.Mutation {
    var json: JSONValue {
        switch self {
        case .setTasks(let tasks): .object(["set": .array(tasks.map(\.json))])
        case .toggleEditing: .string("toggleEditing")
        case .follow(.create(let task)): .object(["create": task.json])
        case .follow(.update(let task)): .object(["update": task.json])
        case .follow(.delete(let id)): .object(["delete": .string(id)])
        case .follow(.move(let id, let position)):
            .object(["move": .object(["id": .string(id), "to": JSONValue(position)])])
        case .follow(.markAsDone(let id)): .object(["done": .string(id)])
        case .follow(.markAsUndone(let id)): .object(["undone": .string(id)])
        }
    }

    /// Nil for what it does not know.
    init?(_ json: JSONValue) {
        if json.string == "toggleEditing" {
            self = .toggleEditing
            return
        }
        guard let member = json.object?.members.first else { return nil }
        let content = member.value
        let event: TaskEvent?
        switch member.key {
        case "set":
            guard let tasks = KeyedList(json: content) else { return nil }
            self = .setTasks(tasks)
            return
        case "create": event = TodoTask(content).map { .create($0) }
        case "update": event = TodoTask(content).map { .update($0) }
        case "delete": event = content.string.map { .delete(id: $0) }
        case "move":
            guard let id = content["id"]?.string, let position = content["to"]?.int, position >= 0 else { return nil }
            event = .move(id: id, to: position)
        case "done": event = content.string.map { .markAsDone(id: $0) }
        case "undone": event = content.string.map { .markAsUndone(id: $0) }
        default: return nil
        }
        guard let event else { return nil }
        self = .follow(event)
    }
}
