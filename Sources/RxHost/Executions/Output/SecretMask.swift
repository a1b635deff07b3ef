package import RxJSON
internal import RxRecords

/// Replaces the secrets of one input, the values that its schema marks `writeOnly`, in what is kept of its execution.
///
/// A secret is found as a whole value of any length, and as a part of a text if it has at least `leastPart` bytes: a
/// shorter one would be found everywhere. A text may have it as it is, or as a JSON string has it.
package struct SecretMask: Sendable {
    static let leastPart = 3
    /// The most bytes that the secrets of an input may have in all forms, since all of them are looked for at once. Of
    /// an execution with more, nothing but numbers of elements and bytes is kept.
    private static let mostBytes = 256 << 10

    private let secrets: Set<String>
    private let areTooLong: Bool
    /// The approximate memory that it uses.
    let cost: Int
    /// The approximate memory of a search for the secrets.
    let searchCost: Int

    /// Nil for an input without secrets.
    init?(_ schema: JSONSchema, _ input: RawJSON) {
        guard schema.hasSecrets else { return nil }
        self.init(schema.secretTexts(in: input))
    }

    /// Nil without texts that are not empty.
    package init?(_ texts: [String]) {
        var (secrets, bytes, cost) = (Set<String>(), 0, 0)
        for text in texts where !text.isEmpty && bytes <= Self.mostBytes {
            guard secrets.insert(text).inserted else { continue }
            bytes += SecretSearch.bytes(of: text)
            cost += Self.costOfPlace + (text.utf8.count > Self.bytesInPlace ? Self.costOfText + text.utf8.count : 0)
        }
        guard !secrets.isEmpty else { return nil }
        areTooLong = bytes > Self.mostBytes
        self.secrets = areTooLong ? [] : secrets
        self.cost = areTooLong ? 0 : cost
        searchCost = areTooLong ? 0 : bytes * SecretSearch.costOfByte
    }

    /// A set has about two places of 16 bytes for each text, and a text of up to 15 bytes is in its place.
    private static let (costOfPlace, bytesInPlace, costOfText) = (32, 15, 32)

    /// `output` with the secrets replaced, so that it may be a little longer or shorter.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of elements that are kept.
    ///   - isOver: whether nothing follows; otherwise its standard error may end within a secret.
    func masking(_ output: KeptOutput, limit: Int, isOver: Bool) -> KeptOutput {
        // Often nothing is kept: then making it would be all that takes time here.
        lazy var redactor = redactor
        return KeptOutput(
            elements: output.elements.mapping(limit: limit) { redactor.redacting($0) },
            errors: output.errors.replacing(with: Array(JSONSchema.redacted.utf8), isOver: isOver) {
                redactor.places(in: $0, isCutBefore: $1, isCutAfter: $2)
            })
    }

    /// `error` with the secrets replaced.
    func masking(_ error: ExecutionError) -> ExecutionError {
        switch error {
        case .failed(let failure): .failed(masking(failure))
        case .timedOut, .cancelled, .superseded, .stopped, .postponed, .interrupted: error
        }
    }

    /// `text` with the secrets replaced.
    func masking(_ text: String) -> String { redactor.redacting(text) }

    /// `value` with the secrets replaced.
    package func masking(_ value: RawJSON) -> RawJSON { redactor.redacting(value) }

    /// `failure` with the secrets replaced in its message and its facts.
    func masking(_ failure: WorkFailure) -> WorkFailure {
        let redactor = redactor
        return WorkFailure(
            message: redactor.redacting(failure.message), facts: redactor.redacting(facts: failure.facts),
            mayPass: failure.mayPass)
    }

    /// For the lines of the standard error of the input's work. Keep it: to make it takes time and memory.
    package func errorLines() -> ErrorLineMask {
        let lines = secrets.flatMap { $0.split(whereSeparator: \.isNewline).map(String.init) }
        return ErrorLineMask(SecretRedactor(secrets.union(lines), redactsAll: areTooLong))
    }

    /// Made when it is needed: most executions with secrets have no output, and it takes more memory than they do.
    var redactor: SecretRedactor { SecretRedactor(secrets, redactsAll: areTooLong) }
}
