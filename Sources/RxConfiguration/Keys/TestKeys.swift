/// The tables of tests, which are in the files tests/*.toml.
extension KeyTable {
    static let test = ConfigurationTable(
        "[test.NAME]",
        """
        A test of the configuration, in a file tests/*.toml beside rxd.toml. Words between spaces are marbles: one \
        that begins with a digit is a duration; in any other, each character is an event: a letter is an element, | \
        is the end, and # is an error.
        """,
        [
            .key("stream", "the name of a stream", "What is tested: this, `action`, or `reactor`."),
            .key("action", "the name of an action", "What is tested; its firings are compared."),
            .key("reactor", "the name of a reactor", "What is tested; its states are compared."),
            .key(
                "given", "a table of marbles", default: "{}",
                """
                What the sources emit, by the streams whose sources they replace, by a source such as \
                \"action:NAME\", or by `source` if there is only one.
                """),
            .key("values", "a table of values", default: "{}", "What the letters stand for."),
            .required("expect", "marbles in a string", "What must come out."),
            .key("from", "a date and time", default: "2000-01-01T00:00Z", "When the clock begins."),
            .key("to", "a date and time", "When the test ends. Without it: when nothing is pending."),
            .key(
                "zone", "a time zone such as \"Europe/Berlin\"",
                "The zone of `from`, `to`, and of schedules without one. Without it: the machine's."),
            .key(
                "mock", "a table of arrays by the names of actions", default: "{}",
                "How executions go, in order; the last one repeats. No test executes an action."),
        ])

    static let outcome = ConfigurationTable(
        "mock", "How one execution goes. It has at most one of the first three keys.",
        [
            .key("elements", "an array", default: "[]", "It emits these elements and succeeds."),
            .key("error", "a value", "It fails with this error."),
            .key(
                "refused", ValueText.text,
                "It does not start, and is refused with this name, such as \"notEnabled\"."),
            .key("takes", ValueText.duration, default: "\"0s\"", "How long it is in flight."),
        ])
}
