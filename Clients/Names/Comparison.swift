import Foundation

/// Looks up, name by name, where the sources below one folder use the vocabulary.
///
/// A member counts as used when it is one of the type it is listed under, or one that this type inherits. The library
/// may write one declaration with a parameter pack where the list has one for each number of sources; the arguments
/// are then counted where it is called.
struct Comparison {
    struct Finding {
        let name: String
        let places: [String]
        /// What is wrong, if anything is.
        let problem: String?
    }

    private let index: Index
    private let folder: String
    private let uses: [String: [Index.Use]]
    private var sources: [String: [Substring.UTF8View]] = [:]

    init(_ index: Index, folder: String) throws {
        self.index = index
        self.folder = folder
        let uses = index.uses.filter { $0.file.hasPrefix(folder + "/") }
        self.uses = Dictionary(grouping: uses) { Signature($0.symbol.name).base }
        for file in Set(uses.map(\.file)) {
            sources[file] = try String(contentsOfFile: file, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false).map(\.utf8)
        }
    }

    func type(_ name: String) -> Finding {
        finding(name, (uses[name] ?? []).filter(\.symbol.isType), count: 1)
    }

    func member(_ member: Vocabulary.Member) -> Finding {
        let wanted = Signature(member.name)
        let ancestors = index.ancestors(of: member.owner)
        let found = (uses[wanted.base] ?? []).filter { use in
            let signature = Signature(use.symbol.name)
            guard signature.labels == wanted.labels, belongs(use.symbol, to: member, ancestors) else { return false }
            if signature.unlabelled == wanted.unlabelled { return true }
            return (1..<max(1, wanted.unlabelled)).contains(signature.unlabelled)
                && unlabelledArguments(use) == wanted.unlabelled
        }
        return finding("\(member.owner).\(member.name)", found, count: member.count)
    }

    private func belongs(_ symbol: Index.Symbol, to member: Vocabulary.Member, _ ancestors: Set<String>) -> Bool {
        let enclosing = index.enclosing(symbol)
        // Operators may be declared outside of the type that they compare.
        if enclosing.isEmpty { return member.owner == "(global)" || member.name.hasPrefix("==") }
        return enclosing.contains { ancestors.contains($0) || index.ancestors(of: $0).contains(member.owner) }
    }

    private func finding(_ name: String, _ uses: [Index.Use], count: Int) -> Finding {
        let places = Set(uses.map { "\($0.file.dropFirst(folder.count + 1)):\($0.line)" }).sorted()
        let problem: String? =
            switch places.count {
            case 0: "is not used"
            case ..<count: "is used \(places.count) times, and there are \(count)"
            default: nil
            }
        return Finding(name: name, places: places, problem: problem)
    }

    /// How many arguments without a label stand in the parentheses of the call.
    private func unlabelledArguments(_ use: Index.Use) -> Int {
        guard let lines = sources[use.file], use.line <= lines.count else { return 0 }
        let start = lines[use.line - 1].dropFirst(use.column - 1).drop { $0 != UInt8(ascii: "(") }.dropFirst()
        return Arguments(Array(start) + lines[use.line...].joined(separator: [UInt8(ascii: "\n")])).unlabelled
    }
}
