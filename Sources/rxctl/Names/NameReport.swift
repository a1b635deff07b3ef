internal import JSONRPC
internal import RxJSON
internal import RxProtocol

/// The names in a command's arguments, and what the command does with them.
struct NameArguments {
    let use: NameUse
    let names: [String]
    /// The option whose value they are; nil for the command's arguments.
    let option: String?
    /// Called if parts of ids are among the names, with ids in their place; nil if the command takes no ids.
    let retry: (([String]) -> Void)?

    init(
        _ use: NameUse, _ names: [String], option: String? = nil, orExecutions retry: (([String]) -> Void)? = nil
    ) {
        self.use = use
        self.names = names
        self.option = option
        self.retry = retry
    }

    /// The arguments with other names, which are not looked up again.
    func replaced(by names: [String]) -> NameArguments {
        NameArguments(use, names, option: option)
    }

    /// Whether the error is about one of the names, and has no better advice than to look it up.
    func explains(_ error: RPCError) -> Bool {
        guard error.named == .notFound, let facts = error.data?.value(), facts["streams"]?.array?.isEmpty ?? true else {
            return false
        }
        return NamedKind.allCases.contains { facts[$0.rawValue]?.string.map(names.contains) == true }
    }
}

/// Why a command cannot use one of its names, from what the daemon has: a sentence, and facts for programs.
struct NameReport: Equatable {
    let message: String
    let facts: JSONObject

    /// Nil if the command can use all of them.
    init?(_ arguments: NameArguments, _ index: NameIndex) {
        guard let report = NameReport(arguments.use, arguments.names, index) else { return nil }
        message = (arguments.option.map { "\($0): " } ?? "") + report.message
        facts = report.facts
    }

    private init?(_ use: NameUse, _ names: [String], _ index: NameIndex) {
        for name in names where name != "*" {
            guard let kind = index.kind(of: name) else {
                self = NameReport(unknown: name, use, index)
                return
            }
            guard use.kinds.contains(kind) else {
                message = "\(name) is \(kind.withArticle): \(use.advice(on: name, of: kind))"
                facts = ["kind": .string(kind.rawValue)]
                return
            }
        }
        let kinds = names.map { index.kind(of: $0) }
        guard use.isUniform, let first = kinds.first, let other = kinds.firstIndex(where: { $0 != first }) else {
            return nil
        }
        let (one, two) = (first?.withArticle ?? "", kinds[other]?.withArticle ?? "")
        message = "\(names[0]) is \(one), and \(names[other]) is \(two): name things of one kind at a time"
        facts = [:]
    }

    private init(unknown name: String, _ use: NameUse, _ index: NameIndex) {
        var near = index.nearest(to: name, among: use.kinds).map { ($0.name, "\"\($0.name)\"") }
        if let (best, kind) = index.nearest(to: name), !use.kinds.contains(kind) {
            near.append((best, "\"\(best)\", which is \(kind.withArticle)"))
        }
        let advice =
            if !near.isEmpty {
                "did you mean \(near.map(\.1).joined(separator: " or "))?"
            } else if use.kinds.contains(.execution), let part = IDPart(name), part.text.count < IDPart.leastOfEnd {
                "no id begins with it, and the end of an id needs at least \(IDPart.leastOfEnd) characters; "
                    + "\(NamedKind.execution.listing) prints the ids"
            } else {
                switch use.kinds.count {
                case 1: "\(use.kinds[0].listing) prints the names"
                case 2: "\(use.kinds[0].listing) and \(use.kinds[1].listing) print the names"
                default: "rxctl list, with --reactors or --streams, prints the names"
                }
            }
        message = "no such \(Self.disjunction(use.kinds.map(\.rawValue))): \(name); \(advice)"
        facts = near.isEmpty ? [:] : ["near": .array(near.map { .string($0.0) })]
    }

    /// `a, b, or c`
    private static func disjunction(_ words: [String]) -> String {
        words.count > 2
            ? "\(words.dropLast().joined(separator: ", ")), or \(words.last ?? "")" : words.joined(separator: " or ")
    }
}

extension RPCError {
    /// The same error in the words of the report, with its facts added.
    func adding(_ report: NameReport) -> RPCError {
        var data = data?.value().object ?? [:]
        for fact in report.facts { data[fact.key] = fact.value }
        return RPCError(code: code, message: report.message, data: RawJSON(.object(data)))
    }
}
