internal import ArgumentParser
internal import Glibc
internal import RxClient
internal import RxJSON

struct ReplayCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Tells whether a reactor's kept actions give the same states under another configuration.",
        discussion: """
            Becomes `rxd --replay`, which reads what the daemon keeps, also while it runs, and takes the actions of the \
            history again: rules and reduce are those of the other configuration. Nothing is executed; what executions and \
            merged streams gave is taken from the record, and so are the mutations of reactors that are compiled in.

            Prints a line for each of the first ten differences, {"revision":…,"action":…,"mutations":…,"patch":…,"error":…}, \
            where the patch leads from the state that was kept to the one that it would be; then a summary. Exits 0 if all \
            states are the same, 1 if not, 4 if the database may not be read, 5 if nothing is kept, 74 if it cannot be \
            read, 78 if the configuration has faults.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(
        help: ArgumentHelp("The configuration to be tried: rxd.toml and conf.d/*.toml.", valueName: "dir"),
        completion: .directory)
    var against: String

    @Option(
        help: ArgumentHelp(
            "Where the daemon keeps its state.", discussion: "Otherwise $STATE_DIRECTORY, else /var/lib/rxd.",
            valueName: "dir"),
        completion: .directory)
    var state: String?

    @Option(help: ArgumentHelp("Begin with this revision's state, not with the oldest.", valueName: "revision"))
    var from: UInt64?

    @Option(help: ArgumentHelp("End with this revision, not with the newest.", valueName: "revision"))
    var to: UInt64?

    @Flag(help: "Print all differences.")
    var all = false

    @Flag(help: "Only reduce the kept mutations anew, for rules that ask for the time.")
    var mutations = false

    @Flag(help: "After a difference go on from the state that was kept, so that each step stands for itself.")
    var each = false

    @Argument(help: "The reactor's name.", completion: .reactors)
    var reactor: String

    func validate() throws {
        if let from, let to, from > to { throw ValidationError("--from comes before --to.") }
    }

    func run() throws {
        // It is installed beside rxctl.
        let beside = (ReplayCommand.executable.map { String($0[..<$0.lastIndex(of: "/")!]) }).map { $0 + "/rxd" }
        let program = beside.flatMap { access($0, X_OK) == 0 ? $0 : nil } ?? "rxd"
        try OtherProgram.become([program] + arguments)
    }

    var arguments: [String] {
        var words = ["--replay=\(reactor)", "--config=\(against)"]
        words += state.map { ["--state=\($0)"] } ?? []
        words += from.map { ["--from=\($0)"] } ?? []
        words += to.map { ["--to=\($0)"] } ?? []
        for (flag, isSet) in [("all", all), ("mutations", mutations), ("each", each), ("json", options.json)]
        where isSet {
            words.append("--\(flag)")
        }
        return words
    }

    /// This program's file, an absolute path.
    private static var executable: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { path in
            let count = readlink("/proc/self/exe", path.baseAddress!, path.count)
            guard count > 0, count < path.count else { return nil }
            return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
