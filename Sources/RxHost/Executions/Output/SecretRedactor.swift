internal import RxJSON

/// Finds and replaces secrets in values, texts, and bytes.
struct SecretRedactor {
    /// A shorter standard error in a failure is all of it; a longer one may begin within a secret.
    private static let leastCut = 1 << 10

    private let secrets: Set<String>
    private let search: SecretSearch
    private let redactsAll: Bool

    /// - Parameter redactsAll: whether every string and number counts as a secret.
    init(_ secrets: Set<String>, redactsAll: Bool) {
        self.secrets = secrets
        self.redactsAll = redactsAll
        search = SecretSearch(secrets, least: SecretMask.leastPart)
    }

    /// `text` with the secrets replaced; the very same text if it has none.
    func redacting(_ text: RawJSON) -> RawJSON {
        if redactsAll { return RawJSON(.string(JSONSchema.redacted)) }
        let value = text.value()
        let masked = redacting(value)
        return masked.changed ? RawJSON(masked.value) : text
    }

    /// The facts of a failure with the secrets replaced.
    func redacting(facts: JSONObject) -> JSONObject { redacting(facts, cut: "stderr").object }

    /// The places of secrets, in their order. Secrets that overlap are one place.
    ///
    /// - Parameters:
    ///   - isCutBefore: whether bytes before them are missing, which may be the start of a secret.
    ///   - isCutAfter: whether bytes after them are missing, which may be the end of one.
    func places(in bytes: [UInt8], isCutBefore: Bool = false, isCutAfter: Bool = false) -> [Range<Int>] {
        if redactsAll { return bytes.isEmpty ? [] : [0..<bytes.count] }
        return search.places(
            in: bytes, isCutBefore: isCutBefore, isCutAfter: isCutAfter, least: SecretMask.leastPart)
    }

    /// `bytes` with `JSONSchema.redacted` in the place of each secret.
    func redacting(_ bytes: [UInt8], isCutBefore: Bool, isCutAfter: Bool = false) -> [UInt8] {
        var masked: [UInt8] = []
        var last = 0
        for place in places(in: bytes, isCutBefore: isCutBefore, isCutAfter: isCutAfter) {
            masked += bytes[last..<place.lowerBound]
            masked += JSONSchema.redacted.utf8
            last = place.upperBound
        }
        return masked + bytes[last...]
    }

    private func isSecret(_ text: String) -> Bool { redactsAll || secrets.contains(text) }

    /// `text` with the secrets replaced.
    func redacting(_ text: String, isCutBefore: Bool = false) -> String {
        if isSecret(text) { return JSONSchema.redacted }
        guard !search.isEmpty else { return text }
        let bytes = Array(text.utf8)
        let masked = redacting(bytes, isCutBefore: isCutBefore)
        return masked == bytes ? text : String(decoding: masked, as: UTF8.self)
    }

    private func redacting(_ value: JSONValue) -> (value: JSONValue, changed: Bool) {
        switch value {
        case .null, .bool: return (value, false)
        case .number(let number):
            return isSecret(number.text) ? (.string(JSONSchema.redacted), true) : (value, false)
        case .string(let text):
            let masked = redacting(text)
            return masked == text ? (value, false) : (.string(masked), true)
        case .array(let elements):
            let masked = elements.map { redacting($0) }
            return masked.contains { $0.changed } ? (.array(masked.map(\.value)), true) : (value, false)
        case .object(let members):
            let masked = redacting(members)
            return masked.changed ? (.object(masked.object), true) : (value, false)
        }
    }

    /// - Parameter cut: the key of a text whose start is missing.
    private func redacting(_ members: JSONObject, cut: String? = nil) -> (object: JSONObject, changed: Bool) {
        var masked: JSONObject = [:]
        var changed = false
        for member in members {
            let key = redactsAll ? member.key : redacting(member.key)
            changed = changed || key != member.key
            if member.key == cut, let text = member.value.string, text.utf8.count >= Self.leastCut {
                masked[key] = .string(redacting(text, isCutBefore: true))
                changed = true
            } else {
                let value = redacting(member.value)
                masked[key] = value.value
                changed = changed || value.changed
            }
        }
        return (masked, changed)
    }
}
