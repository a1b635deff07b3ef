internal import RxJSON
internal import RxRecords

/// Replaces the secrets of one input, the values that its schema marks `writeOnly`, in what is kept of its execution.
///
/// A secret is found as a whole value of any length, and as a part of a text if it has at least `leastPart` bytes: a
/// shorter one would be found everywhere.
struct SecretMask: Sendable {
    private static let leastPart = 3
    /// The most secrets of one input that are looked for, and their bytes, so that the search is bounded.
    private static let (most, mostBytes) = (256, 64 << 10)

    private let secrets: Set<String>
    /// In the form that a text has, and in the form that a JSON string has; the longest first, so that a secret that
    /// contains another one is replaced as a whole.
    private let parts: [[UInt8]]
    /// Whether a part begins with this byte.
    private var isFirst = [Bool](repeating: false, count: 256)

    /// Nil for an input without secrets.
    init?(_ definition: ActionDefinition, _ input: RawJSON) {
        guard let schema = definition.schema else { return nil }
        self.init(schema.secretTexts(in: input))
    }

    init?(_ texts: [String]) {
        var bytes = 0
        let texts = texts.filter { !$0.isEmpty }.prefix(Self.most).prefix { text in
            bytes += text.utf8.count
            return bytes <= Self.mostBytes
        }
        guard !texts.isEmpty else { return nil }
        secrets = Set(texts)
        let parts = secrets.filter { $0.utf8.count >= Self.leastPart }.flatMap { text in
            [Array(text.utf8), Array(RawJSON(.string(text)).utf8.dropFirst().dropLast())]
        }
        self.parts = Set(parts).sorted { $0.count > $1.count }
        for part in parts { isFirst[Int(part[0])] = true }
    }

    // MARK: Bytes

    /// `bytes` with `JSONSchema.redacted` in the place of each secret.
    ///
    /// - Parameters:
    ///   - isCutBefore: whether bytes before them are missing, which may be the start of a secret.
    ///   - isCutAfter: whether bytes after them are missing, which may be the end of one.
    func masking(_ bytes: [UInt8], isCutBefore: Bool = false, isCutAfter: Bool = false) -> [UInt8] {
        guard let longest = parts.first?.count else { return bytes }
        var masked: [UInt8] = []
        masked.reserveCapacity(bytes.count)
        var rest = bytes[...]
        if isCutBefore, let count = parts.map({ Self.overlap(of: $0, before: rest) }).max(), count > 0 {
            masked += JSONSchema.redacted.utf8
            rest = rest.dropFirst(count)
        }
        while let first = rest.first {
            if !isFirst[Int(first)] {
                masked.append(first)
                rest = rest.dropFirst()
            } else if let part = parts.first(where: { rest.starts(with: $0) }) {
                masked += JSONSchema.redacted.utf8
                rest = rest.dropFirst(part.count)
            } else if isCutAfter, (Self.leastPart..<longest).contains(rest.count),
                parts.contains(where: { $0.starts(with: rest) })
            {
                masked += JSONSchema.redacted.utf8
                rest = []
            } else {
                masked.append(first)
                rest = rest.dropFirst()
            }
        }
        return masked
    }

    /// The number of bytes at the start of `bytes` that are the end of `part`, whose start is missing.
    private static func overlap(of part: [UInt8], before bytes: ArraySlice<UInt8>) -> Int {
        for count in stride(from: min(part.count - 1, bytes.count), through: leastPart, by: -1)
        where bytes.starts(with: part.suffix(count)) { return count }
        return 0
    }

    // MARK: Values

    /// `text` with the secrets replaced; the very same text if it has none.
    func masking(_ text: RawJSON) -> RawJSON {
        let value = text.value()
        let masked = masking(value)
        return masked.changed ? RawJSON(masked.value) : text
    }

    /// `error` with the secrets replaced in its message and its facts.
    func masking(_ error: ExecutionError) -> ExecutionError {
        switch error {
        case .failed(let failure):
            .failed(
                WorkFailure(
                    message: masking(failure.message), facts: masking(failure.facts).object,
                    mayPass: failure.mayPass))
        case .timedOut, .cancelled, .superseded, .stopped, .postponed, .interrupted: error
        }
    }

    private func masking(_ text: String) -> String {
        if secrets.contains(text) { return JSONSchema.redacted }
        guard !parts.isEmpty else { return text }
        let bytes = Array(text.utf8)
        let masked = masking(bytes)
        return masked == bytes ? text : String(decoding: masked, as: UTF8.self)
    }

    private func masking(_ value: JSONValue) -> (value: JSONValue, changed: Bool) {
        switch value {
        case .null, .bool: return (value, false)
        case .number(let number):
            return secrets.contains(number.text) ? (.string(JSONSchema.redacted), true) : (value, false)
        case .string(let text):
            let masked = masking(text)
            return masked == text ? (value, false) : (.string(masked), true)
        case .array(let elements):
            let masked = elements.map { masking($0) }
            return masked.contains { $0.changed } ? (.array(masked.map(\.value)), true) : (value, false)
        case .object(let members):
            let masked = masking(members)
            return masked.changed ? (.object(masked.object), true) : (value, false)
        }
    }

    private func masking(_ members: JSONObject) -> (object: JSONObject, changed: Bool) {
        var masked: JSONObject = [:]
        var changed = false
        for member in members {
            let value = masking(member.value)
            masked[member.key] = value.value
            changed = changed || value.changed
        }
        return (masked, changed)
    }
}
