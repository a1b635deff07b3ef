/// The words that stand for whole calendar expressions.
enum CalendarShorthand {
    private static let expressions = [
        "minutely": "*-*-* *:*:00",
        "hourly": "*-*-* *:00:00",
        "daily": "*-*-* 00:00:00",
        "weekly": "Mon *-*-* 00:00:00",
        "monthly": "*-*-01 00:00:00",
        "quarterly": "*-01,04,07,10-01 00:00:00",
        "semiannually": "*-01,07-01 00:00:00",
        "semi-annually": "*-01,07-01 00:00:00",
        "biannually": "*-01,07-01 00:00:00",
        "bi-annually": "*-01,07-01 00:00:00",
        "yearly": "*-01-01 00:00:00",
        "annually": "*-01-01 00:00:00",
        // systemd accepts this spelling.
        "anually": "*-01-01 00:00:00",
    ]

    /// The expression for a word, in any case; nil if it is none of them.
    static func expression(_ word: String) -> String? { expressions[word.lowercased()] }
}
