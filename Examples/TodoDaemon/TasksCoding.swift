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
    /// Nil unless it is a list of tasks with different ids.
    init?(json: JSONValue?) {
        guard let elements = json?.array else { return nil }
        let tasks = elements.compactMap { TodoTask($0) }
        self.init(tasks)
        if count != elements.count { return nil }
    }
}

extension TaskListReactor.Action {
    /// Accepts exactly what the schema admits.
    init(_ json: JSONValue) throws(InputFault) {
        guard let member = json.object?.members.first, json.object?.count == 1 else {
            throw InputFault(path: "", message: "must be an object with one member")
        }
        let content = Content(name: member.key, value: member.value)
        switch member.key {
        case "create":
            try content.check(["title", "memo"])
            self = .create(title: try content.title(), memo: try content.has("memo") ? content.memo() : "")
        case "update":
            try content.check(["id", "title", "memo"])
            self = .update(
                id: try content.id("id"), title: try content.has("title") ? content.title() : nil,
                memo: try content.has("memo") ? content.memo() : nil)
        case "move":
            try content.check(["id", "to"])
            guard let position = content.value["to"]?.int, position >= 0 else {
                throw content.fault("to", "must be a whole number from 0")
            }
            self = .move(id: try content.id("id"), to: position)
        case "done": self = .setDone(id: try content.id(), true)
        case "undone": self = .setDone(id: try content.id(), false)
        case "toggle": self = .toggleDone(id: try content.id())
        case "delete": self = .delete(id: try content.id())
        default: throw InputFault(path: "/\(member.key)", message: "is not an action of the task list")
        }
    }

    /// The value of an action's only member.
    private struct Content {
        let name: String
        let value: JSONValue

        func fault(_ key: String, _ message: String) -> InputFault {
            InputFault(path: "/\(name)/\(key)", message: message)
        }

        func has(_ key: String) -> Bool { value[key] != nil }

        /// Throws unless the content is an object with known members only.
        func check(_ known: [String]) throws(InputFault) {
            guard let members = value.object?.members else {
                throw InputFault(path: "/\(name)", message: "must be an object")
            }
            for member in members where !known.contains(member.key) { throw fault(member.key, "is not known") }
        }

        /// The content itself, or one of its members.
        func id(_ key: String? = nil) throws(InputFault) -> String {
            guard let text = (key.map { value[$0] } ?? value)?.string, !text.isEmpty else {
                throw InputFault(path: "/\(name)\(key.map { "/\($0)" } ?? "")", message: "must be a text")
            }
            return text
        }

        func title() throws(InputFault) -> String { try text("title", 1...TasksSchema.titleLength) }
        func memo() throws(InputFault) -> String { try text("memo", 0...TasksSchema.memoLength) }

        private func text(_ key: String, _ length: ClosedRange<Int>) throws(InputFault) -> String {
            // JSON Schema counts Unicode scalars.
            guard let text = value[key]?.string, length.contains(text.unicodeScalars.count) else {
                throw fault(key, "must be a text of \(length.lowerBound) to \(length.upperBound) characters")
            }
            return text
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

    /// Nil for an unknown mutation.
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
