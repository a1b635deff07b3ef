internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol
internal import RxStreams

/// INPUT, or a reactor's ACTION, as it stands on the command line, to explain what the daemon finds wrong with it.
struct InputArguments {
    /// Longest wait for the schema; faults are reported without it then.
    private static let patience = Duration.seconds(1)

    private let words: [String]
    /// The name of the action or the reactor.
    private let name: String
    /// Where the input is in the params.
    private let root: String
    private let description: (method: Method, params: RawJSON)

    init(_ words: [String], ofAction name: String) {
        self.words = words
        self.name = name
        root = "/input"
        description = (.actionDescribe, RawJSON(["action": .string(name)]))
    }

    init(_ words: [String], ofReactor name: String) {
        self.words = words
        self.name = name
        root = "/action"
        description = (.reactorDescribe, RawJSON(["reactor": .string(name)]))
    }

    /// Whether the error has faults of the input.
    func explains(_ error: RPCError) -> Bool {
        error.named == .invalidParams && !error.faults.filter(isOfInput).isEmpty
    }

    /// Calls `body` once with the same error, whose faults have advice.
    func explain(_ error: RPCError, _ session: DaemonSession, _ body: @escaping (RPCError) -> Void) {
        let needsSchema = error.faults.contains { isOfMissingMember($0) || isUnknownMember($0) }
        guard needsSchema else { return body(explaining(error, schema: nil)) }
        var body: ((RPCError) -> Void)? = body
        func answer(_ schema: JSONValue?) {
            let once = body
            body = nil
            once?(explaining(error, schema: schema))
        }
        session.link.call(description.method, description.params) { reply in
            answer((try? reply.get())?.value()["schema"])
        }
        session.schedule(after: Self.patience) { answer(nil) }
    }

    /// - Parameter schema: that of the input, if it is known.
    func explaining(_ error: RPCError, schema: JSONValue?) -> RPCError {
        var faults = error.faults.map { fault in
            let advice =
                spelling(of: fault).map { "; write \($0)" } ?? meant(by: fault, schema).map { "; did you mean \($0)?" }
            return RPCError.Fault(path: fault.path, message: fault.message + (advice ?? ""))
        }
        guard error.faults.contains(where: isOfMissingMember), let needs = schema.flatMap(needs) else {
            return error.with(faults, message: nil)
        }
        // One fault in the place of those of each missing member.
        faults.removeAll(where: isOfMissingMember)
        faults.insert(RPCError.Fault(path: root, message: needs), at: 0)
        return error.with(faults, message: "\(name) \(needs)")
    }

    private func isOfInput(_ fault: RPCError.Fault) -> Bool {
        fault.path == root || fault.path.hasPrefix(root + "/")
    }

    /// Whether the schema has no such member.
    private func isUnknownMember(_ fault: RPCError.Fault) -> Bool {
        fault.path.hasPrefix(root + "/") && fault.message == "is not a known property"
    }

    /// The member that was meant instead of an unknown one.
    private func meant(by fault: RPCError.Fault, _ schema: JSONValue?) -> String? {
        guard isUnknownMember(fault), let key = member(fault), let members = schema?["properties"]?.object else {
            return nil
        }
        return nearest(to: key, among: members.map(\.key))
    }

    /// The member of the input that the fault is about.
    private func member(_ fault: RPCError.Fault) -> String? {
        (try? JSONPointer(fault.path)).flatMap { $0.tokens.count == 2 ? $0.tokens[1] : nil }
    }

    /// Whether the input lacks a member, or is none that could have members.
    private func isOfMissingMember(_ fault: RPCError.Fault) -> Bool {
        fault.path == root && (fault.message.hasPrefix("missing required ") || fault.message == "must be an object")
    }

    /// `needs from:=<integer, at least 1>`: the required members that are not given; nil if there are none.
    private func needs(_ schema: JSONValue) -> String? {
        guard let given else { return nil }
        let missing = (schema["required"]?.array ?? []).compactMap(\.string).filter { !given.contains($0) }
        guard !missing.isEmpty else { return nil }
        let members = missing.map { SchemaText.pair($0, schema["properties"]?[$0] ?? .null) }
        return "needs " + members.joined(separator: " ")
    }

    /// The members that are given on the command line itself; nil if the input is elsewhere.
    private var given: Set<String>? {
        if words.allSatisfy({ Input.key(ofPair: $0) != nil }) { return Set(words.compactMap(Input.key(ofPair:))) }
        guard words.count == 1, words[0] != "-", !words[0].hasPrefix("@") else { return nil }
        let text = Array(words[0].utf8)
        let value = try? RawJSON(validating: text, limits: JSONLimits(bytes: text.count)).value()
        return Set((value?.object ?? [:]).map(\.key))
    }

    /// How a pair is written whose value has the type that the fault requires; nil if that is not the matter.
    private func spelling(of fault: RPCError.Fault) -> String? {
        guard let key = member(fault), let (value, isJSON) = Input.pair(key, in: words) else { return nil }
        let parsed = try? RawJSON(validating: Array(value.utf8), limits: JSONLimits(bytes: value.utf8.count)).value()
        if isJSON {
            guard fault.message == "must be a string", let parsed else { return nil }
            return parsed.isScalar ? "\(key)=\(parsed.string ?? value)" : nil
        }
        if let parsed, fault.requires(parsed) { return "\(key):=\(value)" }
        return fault.soleType.map { "\(key):=<\($0)>" }
    }
}

extension RPCError.Fault {
    /// Whether the fault would not be there if the value were this one instead of its text.
    fileprivate func requires(_ value: JSONValue) -> Bool {
        guard message.hasPrefix("must be ") else { return false }
        let words = Set(message.split { !$0.isLetter }.map(String.init))
        switch value {
        case .null: return words.contains("null")
        case .bool: return words.contains("true") || words.contains("boolean")
        case .number(let number):
            let isAllowed = words.contains("number") || words.contains("integer") && JSONValue.number(number).int != nil
            return isAllowed || message.hasPrefix("must be one of ") && lists(value)
        case .array: return words.contains("array")
        case .object: return words.contains("object")
        case .string: return false
        }
    }

    /// The type that is required, if there is only one and it is no string.
    fileprivate var soleType: Substring? {
        let words = message.split(separator: " ")
        guard words.count == 4, message.hasPrefix("must be a"), words[3] != "string" else { return nil }
        return words[3]
    }

    private func lists(_ value: JSONValue) -> Bool {
        let values = message.dropFirst("must be one of ".count).split(separator: ", ")
        return values.contains { $0 == RawJSON(value).text }
    }
}

extension JSONValue {
    fileprivate var isScalar: Bool {
        switch self {
        case .null, .bool, .number, .string: true
        case .array, .object: false
        }
    }
}

extension RPCError {
    /// The faults of refused params.
    fileprivate var faults: [Fault] {
        (data?.value()["errors"]?.array ?? []).map { entry in
            Fault(path: entry["path"]?.string ?? "", message: entry["message"]?.string ?? "")
        }
    }

    /// - Parameter message: nil for the first fault.
    fileprivate func with(_ faults: [Fault], message: String?) -> RPCError {
        let error = RPCError.refused(faults)
        return RPCError(code: code, message: message ?? error.message, data: error.data)
    }
}
