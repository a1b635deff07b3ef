/// The program that jq evaluates for a program of a stream: within limits, and with `now`, `$key`, and `$from`.
///
/// Every evaluation runs to its end, because jq 1.6 does not always survive an early exit, so the limit on the number
/// of results is part of the program.
public struct EvaluatedProgram: Sendable, Hashable {
    /// The text that jq compiles.
    public let text: String
    /// What the text mentions of the element. If it is not empty, the input is the array `[value, time, key, from]`,
    /// with null for what is absent or not mentioned; otherwise the input is the value.
    public let mentions: Mentions

    /// Parts of an element other than its value.
    public struct Mentions: OptionSet, Sendable, Hashable {
        /// `now`
        public static let time = Mentions(rawValue: 1)
        /// `$key`
        public static let key = Mentions(rawValue: 2)
        /// `$from`
        public static let from = Mentions(rawValue: 4)

        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
    }

    /// The most results for one input.
    public static let mostResults = 1000

    /// Embeds a program.
    public init(_ program: StreamProgram) {
        var scan = ProgramScan(program.text)
        mentions = scan.mentions()
        // To jq, an empty program is `.`, but not within parentheses. A line of its own ends a comment.
        let body = scan.isBlank ? "." : "\n\(program.text)\n"
        let limited =
            switch program.use {
            // One more than allowed, to detect an excess.
            case .one, .many: "limit(\(Self.mostResults + 1); (\(body)))"
            // The first result would suffice, but jq 1.6 leaks the iterated value on an early exit.
            case .condition: "limit(\(Self.mostResults); (\(body)) | if . then true else empty end)"
            }
        guard !mentions.isEmpty else {
            text = limited
            return
        }
        text =
            ".[1] as $__now | .[2] as $key | .[3] as $from | .[0] | def now: $__now; \(limited)"
    }
}
