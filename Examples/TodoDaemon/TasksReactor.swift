internal import RxRecords
internal import RxHost
internal import RxJSON
internal import RxReactor
internal import RxTodo

/// The task list of RxTodo.
///
/// The state is `{"tasks":[{"id","title","memo","done"},…]}`, newest first. An action is an object with one member:
///
///     {"create":{"title":TEXT,"memo":TEXT}}           a new task, at the beginning; the memo is optional
///     {"update":{"id":ID,"title":TEXT,"memo":TEXT}}   an omitted member stays as it is
///     {"move":{"id":ID,"to":POSITION}}                from 0; beyond the end is the end
///     {"done":ID}  {"undone":ID}  {"toggle":ID}  {"delete":ID}
///
/// An action on a task that does not exist fails and changes nothing.
func tasksDefinition(name: String, summary: String? = nil) -> ReactorDefinition {
    ReactorDefinition(
        name: name, summary: summary, kind: "swift", fingerprint: tasksFingerprint, schema: TasksSchema.actions,
        coding: .tasks, make: { TaskListReactor(TaskService()) })
}

/// The one that rxd 0.1 used when it had this reactor built in: states that it kept remain valid.
private let tasksFingerprint = "builtin tasks 1"

extension ReactorCoding<TaskListReactor> {
    static var tasks: ReactorCoding {
        ReactorCoding(
            action: { json throws(InputFault) in try TaskListReactor.Action(json.value()) }, isExact: true,
            mutation: { RawJSON($0.json) },
            replayed: { TaskListReactor.Mutation($0.value()) },
            state: { TasksState($0.tasks) },
            restored: { state in KeyedList(json: state["tasks"]).map { TaskListReactor.State(tasks: $0) } },
            adopted: { reactor, state in reactor.adopt(state) },
            growth: { mutation, before, after in mutation.growth(from: before.tasks, to: after.tasks) })
    }
}

/// The list as clients see it. The cost of a patch follows the size of the change.
struct TasksState: ReactorState {
    let tasks: KeyedList<TodoTask>
    private static let path = JSONPointer(tokens: ["tasks"])

    init(_ tasks: KeyedList<TodoTask>) { self.tasks = tasks }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.array("tasks") { writer in
                for task in tasks {
                    writer.object { writer in
                        writer.field("id", task.id)
                        writer.field("title", task.title)
                        writer.field("memo", task.memo)
                        writer.field("done", task.isDone)
                    }
                }
            }
        }
    }

    func patch(from earlier: any ReactorState) -> JSONPatch {
        guard let earlier = earlier as? TasksState else {
            return JSONPatch([.replace(JSONPointer(tokens: []), tree)])
        }
        return JSONPatch(from: earlier.tasks, to: tasks, at: TasksState.path, \.json)
    }
}
