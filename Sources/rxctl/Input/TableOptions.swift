internal import ArgumentParser

/// The options of a command that prints a table or JSON.
struct TableOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What to print: table or json.",
            discussion: """
                Default: a table on a terminal, JSON elsewhere. A table in a pipe has lines of COLUMNS cells, or 80.
                """, valueName: "format"),
        completion: .list(TableFormat.allCases.map(\.rawValue)))
    var format: TableFormat?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if format == .table, global.json {
            throw ValidationError("--format table and --json exclude each other; remove one of them.")
        }
    }

    /// The options of every command; `--format json` is `--json`.
    var options: GlobalOptions {
        var options = global
        if format == .json { options.json = true }
        return options
    }

    /// Whether to print a table.
    var showsTable: Bool {
        switch format {
        case .table: true
        case .json: false
        case nil: !global.json && StandardStreams.outputIsTerminal
        }
    }
}

/// `--format`
enum TableFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json
}
