internal import RxAction
internal import RxHost
internal import RxProcess

/// The tables of actions.
extension KeyTable {
    static let defaults = ConfigurationTable(
        "[defaults]", "Values for the keys that an action does not set.",
        [
            .key("timeout", durationOrNone, default: "\"none\"", timeout),
            .key("grace", ValueText.duration, default: "\"5s\"", grace),
            .key("output", outputs, default: "\"lines\"", output),
            .key("overlap", overlaps, default: "\"reject\"", overlap),
            .key("retry", retries, default: "\"none\"", "How failures that may pass are retried."),
            .key("scheduler", ValueText.words(["auto", "serial"]), default: "\"auto\"", scheduler),
            .key("cwd", ValueText.text, default: "\".\"", directory),
            .key("env", "a table of strings", default: "{}", variables),
        ])

    static let action = ConfigurationTable(
        "[action.NAME]",
        """
        An action: a program and its arguments, or a built-in. There is no shell unless `run` names one. The program \
        reads the input as JSON on standard input; each line that it prints is an element, and every exit status but 0 \
        is a failure.
        """,
        [
            .key(
                "run", "an array of strings and of tables with `input`",
                "The program and its arguments. Either this or `builtin` is required."),
            .key(
                "builtin", ValueText.words(Builtin.allCases.map(\.rawValue)),
                "A built-in action, which starts no process, in place of `run`."),
            .key("description", ValueText.text, default: "\"\"", "What the action does, for people."),
            .key("overlap", overlaps, default: "\"reject\"", overlap),
            .key(
                "limit", ValueText.integer(1...1_000_000),
                """
                With `overlap` \"queue\", the most inputs that wait (100 if left out); with \"concurrent\", the most \
                executions in flight (8). With `by`, at most 1000.
                """),
            .key(
                "parallel", ValueText.integer(1...10_000), default: "1",
                "With `overlap` \"queue\", the most executions in flight."),
            .key(
                "by", "a jq program in a string, or \"none\"", default: "\"none\"",
                """
                Inputs for which the program has the same result have the overlap for themselves, as if each result \
                were an action of its own. It is evaluated once, when the input is accepted.
                """),
            .key("timeout", durationOrNone, default: "\"none\"", timeout),
            .key("grace", ValueText.duration, default: "\"5s\"", "\(grace) Not for built-ins."),
            .key("output", outputs, default: "\"lines\"", "\(output) Not for built-ins."),
            .key(
                "input", ValueText.schema, default: "{}",
                """
                The schema of an input. An invalid input is refused, with all its faults, before anything starts. \
                Values that the schema marks `writeOnly` are not kept.
                """),
            .key(
                "allow", "\"all\", or a table: see `allow` below",
                "Who may use the action, in place of what [access] states, which is the default."),
            .key(
                "enabled", ValueText.condition, default: "true", "When the action accepts inputs."),
            .key(
                "on", sources,
                "What starts the action without a client: each element of the stream is an input."),
            .key("retry", retries, default: "\"none\"", "How failures that may pass are retried."),
            .key(
                "durable", ValueText.boolean, default: "false",
                """
                Whether waiting inputs survive a crash and a restart; each is executed once. Needs `overlap` \"queue\".
                """),
            .key(
                "history", ValueText.boolean, default: "true",
                "Whether ended executions are kept. For `echo` and `fail` on the event loop, the default is false."),
            .key(
                "scheduler", ValueText.words(["auto", "serial", "inline"]), default: "\"auto\"",
                "\(scheduler) \"inline\" is for built-ins only."),
            .key("cwd", ValueText.text, default: "\".\"", "\(directory) Not for built-ins."),
            .key("env", "a table of strings", default: "{}", "\(variables) Not for built-ins."),
        ])

    static let argument = ConfigurationTable(
        "run", "An element of `run` that is a table becomes an argument with a part of the input.",
        [
            .required(
                "input", "a JSON pointer such as \"/name\"",
                """
                The part of the input. A string is passed as it is, a number or a boolean as written. An input without \
                that part is refused.
                """),
            .key(
                "as", ValueText.words(["argument", "file"]), default: "\"argument\"",
                """
                \"file\" passes the path of a file with the value. Only the daemon's user can read it, and it exists \
                until the program ends; every user of the machine can read arguments.
                """),
        ])

    static let retry = ConfigurationTable(
        "retry",
        """
        How work that failed for a reason that may pass is repeated. A program that cannot start and the exit statuses \
        64, 65, 77, 78, 126, and 127 are final. `timeout` covers all attempts.
        """,
        [
            .required(
                "attempts", ValueText.integer(1...RetryPolicy.mostAttempts),
                "The number of attempts, the first one included."),
            .key("delay", ValueText.duration, default: "\"1s\"", "The time before the second attempt."),
            .key(
                "backoff", "a number from 1 to 100", default: "2.0", "The factor from each delay to the next one."),
            .key("max", ValueText.duration, default: "\"1m\"", "The longest delay."),
        ])

    static let allow = ConfigurationTable(
        "allow",
        """
        Who may use an action, a reactor, or a stream. `users` and `groups` stand for execute and subscribe together; \
        where these differ, and for manage, each right has a table of its own.
        """,
        [
            .key("users", "an array of names or uids", default: "[]", "Who may execute and subscribe."),
            .key("groups", "an array of names or gids", default: "[]", "Whose members may execute and subscribe."),
            .key("execute", ValueText.grant, "Who may execute or dispatch. Default: [access]."),
            .key("subscribe", ValueText.grant, "Who may subscribe. Default: [access]."),
            .key("manage", ValueText.grant, "Who may manage. Default: [access]."),
        ])

    // MARK: Texts of keys that several tables have

    static let sources = "the name of a stream, a table with a source, or an array of these"
    private static let durationOrNone = "a duration such as \"10s\", or \"none\""
    private static let overlaps = ValueText.words(Overlap.Kind.allCases.map(\.rawValue))
    private static let outputs = ValueText.words(ProcessOutput.allCases.map(\.rawValue))
    private static let retries = "a table: see `retry` below, or \"none\""
    private static let timeout = "The longest time that an execution may take, all attempts together."
    private static let grace = "The time from SIGTERM to SIGKILL when an execution is canceled or times out."
    private static let output = "What an element is: a line, a line of JSON, or the whole output."
    private static let scheduler =
        "Where the work runs: with \"auto\", built-ins that cannot block run on the event loop."
    private static let directory = "The working directory: an absolute path, or \".\" for the daemon's own."
    private static let variables = "Variables that are added to the daemon's environment."
    private static let overlap = """
        What happens to an input that arrives while the action executes. \"reject\": it is refused. \"queue\": it \
        waits its turn. \"concurrent\": it is executed beside the others. \"latest\": it replaces the execution in \
        flight, which is canceled. \"join\": it starts nothing, and the client gets the elements of the execution in \
        flight: of earlier ones, the newest 10,000 or 1 MiB.
        """
}
