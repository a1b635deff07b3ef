package import ArgumentParser
package import RxHost

/// The options of `--replay`.
package struct ReplayOptions: ParsableArguments {
    @Option(
        name: .customLong("replay"),
        help: ArgumentHelp(
            "Compare the states that a reactor's kept actions give under --config with the kept ones.",
            discussion: "Exits with 0 if they are equal, 1 if not. Nothing is executed or changed.",
            valueName: "reactor"))
    package var reactor: String?

    @Option(help: ArgumentHelp("Begin at this revision.", valueName: "revision"))
    var from: UInt64?

    @Option(help: ArgumentHelp("End at this revision.", valueName: "revision"))
    var to: UInt64?

    @Flag(help: "Print all differences, not only the first ones.")
    var all = false

    @Flag(help: "Reduce the kept mutations instead of computing them from the actions.")
    var mutations = false

    @Flag(help: "After a difference, continue from the kept state.")
    var each = false

    package init() {}

    package func validate() throws {
        guard reactor == nil else {
            if let from, let to, from > to { throw ValidationError("--from comes before --to.") }
            return
        }
        if from != nil || to != nil || all || mutations || each {
            throw ValidationError("--from, --to, --all, --mutations, and --each go with --replay.")
        }
    }

    /// The revisions to replay, and how they are compared.
    package var scope: Rehearsal.Scope {
        var scope = Rehearsal.Scope()
        (scope.from, scope.through) = (from, to)
        (scope.takesMutations, scope.returnsToKept) = (mutations, each)
        if all { scope.mostReported = .max }
        return scope
    }
}
