package import ArgumentParser

/// The options of `--test`.
package struct TestOptions: ParsableArguments {
    @Flag(
        name: .customLong("test"),
        help: ArgumentHelp(
            "Run the tests of the configuration in virtual time.",
            discussion: "Exits with 0 if all of them pass, 1 if not. Nothing is executed."))
    package var isTest = false

    @Option(
        name: .customLong("only"), parsing: .singleValue,
        help: ArgumentHelp("Run this test, and no other that is not named.", valueName: "test"))
    package var only: [String] = []

    package init() {}

    package func validate() throws {
        if !only.isEmpty, !isTest { throw ValidationError("--only goes with --test.") }
    }
}
