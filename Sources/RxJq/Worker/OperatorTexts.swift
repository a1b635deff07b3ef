/// The messages of programs that everybody may read, because the operator wrote them.
///
/// A message is the operator's if a program raises it with `error("…")`, where the text is a literal without
/// `\(…)`. Every other message may have values: those of jq itself, and those that a program computes.
struct OperatorTexts {
    /// Written by `worker.c`, where jq's messages are.
    private static let own: Set<String> = ["an answer is nested too deeply", "an error nested too deeply"]

    private var texts = OperatorTexts.own

    init(_ programs: some Sequence<String>) {
        for program in programs { add(program) }
    }

    /// The texts in the programs of a reactor.
    init(_ programs: JqReactorPrograms) {
        let ofRules = programs.rules.flatMap { rule in
            [rule.when, rule.refuse, rule.mutation, rule.input, rule.element, rule.failure].compactMap(\.self)
        }
        self.init(ofRules + programs.merges + [programs.reduce])
    }

    /// Whether a message, as `WorkerReply` has it, is one of the texts.
    func contains(_ message: String) -> Bool { texts.contains(message) }

    private mutating func add(_ program: String) {
        for literal in ErrorLiterals.of(program) {
            texts.insert(WorkerFault.message(of: literal.utf8.prefix(Self.most)))
        }
    }

    /// The most bytes of a message that the worker sends.
    private static let most = 1024
}
