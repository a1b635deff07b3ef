/// The words that stand for whole cron expressions.
enum CronWord {
    private static let expressions = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    /// The expression for a word, in any case; throws for another word.
    static func expression(_ word: String) throws(ExpressionFault) -> String {
        if let expression = expressions[word.lowercased()] { return expression }
        guard word.lowercased() != "@reboot" else {
            throw ExpressionFault(word, at: 0, "@reboot is not a time; use the source `start = true` instead")
        }
        throw ExpressionFault(
            word, at: 0, "expected @yearly, @annually, @monthly, @weekly, @daily, @midnight, or @hourly")
    }
}
