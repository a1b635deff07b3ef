internal import RxJSON
internal import RxTerminal

/// The input of an action as a form: a field for each member that the schema knows, or one field for the whole input.
struct TopForm: Equatable {
    /// How the text of a field becomes a value.
    enum Entry: Equatable {
        /// The text itself.
        case text
        /// JSON: a number, true, an array, an object.
        case json
        /// One of these values, chosen with the arrows.
        case choice([JSONValue])
    }

    struct Field: Equatable {
        /// The member; nil for the whole input.
        let key: String?
        let entry: Entry
        let isRequired: Bool
        /// What may be typed, in a few words.
        let hint: String
        var line: LineEditor
        /// The index of the choice; nil for none.
        var choice: Int?
    }

    /// More fields than a form for people has; further members are left out.
    private static let mostFields = 40

    let action: String
    private(set) var fields: [Field]
    /// The index of the field that is being filled in.
    private(set) var current = 0
    /// What is wrong with the input; nil if nothing is known to be.
    var fault: String?
    /// Whether the input is sent and not answered: Enter must not execute twice.
    var isSent = false

    /// - Parameter schema: that of the action's input; null if any input is accepted.
    init(action: String, schema: JSONValue) {
        self.action = action
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        let members = schema["properties"]?.object ?? [:]
        guard !members.isEmpty else {
            let hint = schema.isNull ? "JSON; empty for none" : SchemaText.description(schema)
            fields = [
                Field(key: nil, entry: .json, isRequired: !schema.isNull, hint: hint, line: LineEditor(), choice: nil)
            ]
            return
        }
        fields = members.prefix(Self.mostFields).map { member in
            let (key, schema) = (member.key, member.value)
            let entry = Self.entry(schema)
            let initial = schema["default"] ?? (required.contains(key) ? schema["const"] : nil)
            var field = Field(
                key: key, entry: entry, isRequired: required.contains(key), hint: SchemaText.description(schema),
                line: LineEditor(), choice: nil)
            if case .choice(let values) = entry {
                field.choice = initial.flatMap { values.firstIndex(of: $0) } ?? (field.isRequired ? 0 : nil)
            } else if let initial {
                field.line = LineEditor(entry == .text ? initial.string ?? "" : RawJSON(initial).text)
            }
            return field
        }
    }

    private static func entry(_ schema: JSONValue) -> Entry {
        if let values = schema["enum"]?.array, !values.isEmpty { return .choice(values) }
        if let constant = schema["const"] { return .choice([constant]) }
        switch schema["type"]?.string {
        case "string": return .text
        case "boolean": return .choice([true, false])
        case _: return .json
        }
    }

    // MARK: Keys

    /// - Returns: whether the key is one of a form.
    mutating func press(_ key: Key) -> Bool {
        switch key {
        case .down, .tab: current = (current + 1) % fields.count
        case .up, .backTab: current = (current + fields.count - 1) % fields.count
        case .enter, .escape, .pageUp, .pageDown: return false
        case .character, .control, .backspace, .delete, .left, .right, .home, .end, .paste:
            fault = nil
            guard case .choice(let values) = fields[current].entry else { return fields[current].line.press(key) }
            choose(key, among: values)
        }
        return true
    }

    private mutating func choose(_ key: Key, among values: [JSONValue]) {
        // A member that is not required may be absent, too.
        let choices: [Int?] = (fields[current].isRequired ? [] : [nil]) + values.indices.map { $0 }
        let place = choices.firstIndex { $0 == fields[current].choice } ?? 0
        switch key {
        case .right, .character(" "): fields[current].choice = choices[(place + 1) % choices.count]
        case .left: fields[current].choice = choices[(place + choices.count - 1) % choices.count]
        case .character(let character):
            // The first letter of a value chooses it.
            let found = values.firstIndex { Self.text($0).lowercased().hasPrefix(character.lowercased()) }
            if let found { fields[current].choice = found }
        case .control, .enter, .escape, .backspace, .delete, .tab, .backTab, .up, .down, .home, .end, .pageUp,
            .pageDown, .paste:
            break
        }
    }

    // MARK: The input

    enum Result {
        /// The input; nil for none.
        case input(RawJSON?)
        case fault(String, field: Int)
    }

    /// The input, if every field has what it needs. The daemon checks the rest.
    var result: Result {
        var members: JSONObject = [:]
        for (index, field) in fields.enumerated() {
            let name = field.key ?? "input"
            switch field.entry {
            case .choice(let values):
                guard let choice = field.choice else { continue }
                members[name] = values[choice]
            case .text:
                guard !field.line.text.isEmpty || field.isRequired else { continue }
                members[name] = .string(field.line.text)
            case .json:
                let text = field.line.text
                guard !text.isEmpty else {
                    if field.isRequired { return .fault("\(name) is required: \(field.hint)", field: index) }
                    continue
                }
                guard let value = try? RawJSON(validating: Array(text.utf8), limits: JSONLimits(bytes: text.utf8.count))
                else { return .fault("\(name) must be \(field.hint), in JSON", field: index) }
                members[name] = value.value()
            }
        }
        guard fields[0].key == nil else { return .input(RawJSON(.object(members))) }
        return .input(members["input"].map { RawJSON($0) })
    }

    mutating func show(_ fault: String, field: Int) {
        self.fault = fault
        current = field
    }

    // MARK: Texts

    /// `execute deploy env=prod count:=3`
    var words: [String] {
        var words = ["execute", action]
        for field in fields {
            switch field.entry {
            case .choice(let values):
                guard let key = field.key, let choice = field.choice else { continue }
                words.append(values[choice].string.map { "\(key)=\($0)" } ?? "\(key):=\(Self.text(values[choice]))")
            case .text:
                guard let key = field.key, !field.line.text.isEmpty || field.isRequired else { continue }
                words.append("\(key)=\(field.line.text)")
            case .json:
                guard !field.line.text.isEmpty else { continue }
                words.append(field.key.map { "\($0):=\(field.line.text)" } ?? field.line.text)
            }
        }
        return words
    }

    /// The value of a choice, without quotes.
    static func text(_ value: JSONValue) -> String { value.string ?? RawJSON(value).text }
}
