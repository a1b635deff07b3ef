public import ArgumentParser
internal import Glibc
internal import Logging
internal import RxHost
public import RxRecords
internal import RxServer
internal import Systemd

// TodoDaemon: the task list of RxTodo on a socket.
//
//     TodoDaemon --socket /tmp/todo.sock
//     rxctl --socket /tmp/todo.sock dispatch tasks '{"create": {"title": "Read"}}'
//     rxctl --socket /tmp/todo.sock state tasks --follow --patch
//
// Reading order: TodoDaemon, TasksReactor (the definition), TasksCoding (JSON), TasksSchema, TasksSize.

@main
struct TodoDaemon: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Hosts a task list; rxctl is the client.")

    @Option(help: ArgumentHelp("Where to listen, unless systemd passes a socket.", valueName: "path"))
    var socket: String

    @Option(help: ArgumentHelp("Keep the list and its history in this directory.", valueName: "dir"))
    var state: String?

    @Option(help: ArgumentHelp("The reactor's name.", valueName: "name"))
    var name = "tasks"

    @Option(help: ArgumentHelp("What an answer promises with --state: sync, normal, or off.", valueName: "word"))
    var durability = ReactorPersistence.Durability.normal

    @Flag(help: "Continue without what is damaged or missing in the state, and log what that is.")
    var recover = false

    func run() throws {
        let logger = Logger(label: "todo") { JournalLogHandler(label: $0, identifier: $0) }
        var tasks = tasksDefinition(name: name, summary: "A list of tasks")
        if state != nil {
            var persistence = ReactorPersistence()
            persistence.durability = durability
            tasks.persistence = persistence
        }
        do {
            try HostDaemon.serve(reactors: [tasks], socket: socket, state: state, recovers: recover, logger: logger)
        } catch {
            logger.critical("\(error)")
            throw ExitCode(ExitStatus.of(error))
        }
    }
}

extension ReactorPersistence.Durability: ExpressibleByArgument {}
