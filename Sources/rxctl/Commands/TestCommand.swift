internal import ArgumentParser

struct TestCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Runs the tests of a configuration in virtual time.",
        usage: "rxctl test [<options>] [<dir>] [<test> ...]",
        discussion: """
            Runs `rxd --test`, which reads the configuration in <dir> and the tables [test.NAME] in the files \
            <dir>/tests/*.toml. Nothing is executed.

            Prints a line for each test; below the line of one that fails are both marble texts, what was expected \
            above what happened, and the first difference. With --json, each line is an object.

            Exit status:
              0   all tests have passed
              1   a test has failed, or cannot be run
              5   there is no test of this name
              78  the configuration or a file of tests has faults
            """)

    @Argument(
        help: ArgumentHelp(
            "The configuration: rxd.toml, conf.d/*.toml, and tests/*.toml.",
            discussion: """
                Default: that of the daemon on the socket, or, if the user's own daemon is not running, that of \
                `rxd --user`. For the system's socket: /etc/rxd.
                """),
        completion: .directory)
    var dir: String?

    @Argument(help: "Run these tests only.")
    var test: [String] = []

    @OptionGroup var options: GlobalOptions

    func run() throws { try OtherProgram.becomeDaemon(arguments, in: .configuration, dir, options) }

    var arguments: [String] {
        var words = ["--test"]
        words += dir.map { ["--config=\($0)"] } ?? []
        words += test.map { "--only=\($0)" }
        if options.json { words.append("--json") }
        return words
    }
}
