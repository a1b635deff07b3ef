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
    private let declarations: [String: [Index.Symbol]]
    private let uses: [String: [Index.Use]]
    private let sources: [String: [Substring.UTF8View]]

    init(_ index: Index, folder: String) throws {
        self.index = index
        self.folder = folder
        declarations = Dictionary(grouping: index.owners.keys) { Signature($0.name).base }
        let uses = index.uses.filter { $0.file.hasPrefix(folder + "/") }
        // The store also keeps what it noted of files that are no more.
        var sources: [String: [Substring.UTF8View]] = [:]
        for file in Set(uses.map(\.file)) where FileManager.default.fileExists(atPath: file) {
            sources[file] = try String(contentsOfFile: file, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false).map(\.utf8)
        }
        self.sources = sources
        self.uses = Dictionary(grouping: uses.filter { sources[$0.file] != nil }) { Signature($0.symbol.name).base }
    }

    func type(_ name: String) -> Finding {
        finding(name, (uses[name] ?? []).filter(\.symbol.isType), count: 1)
    }

    func member(_ member: Vocabulary.Member) -> Finding {
        let wanted = Signature(member.name)
        let found = (uses[wanted.base] ?? []).filter { use in
            let signature = Signature(use.symbol.name)
            guard signature.labels == wanted.labels else { return false }
            if signature.unlabelled == wanted.unlabelled { return true }
            return (1..<max(1, wanted.unlabelled)).contains(signature.unlabelled)
                && unlabelledArguments(use) == wanted.unlabelled
        }
        let own = found.filter { index.enclosing($0.symbol).contains(member.owner) }
        // What a type declares itself is to be used as such; only where it declares nothing, what it inherits.
        let declared = declarations[wanted.base, default: []].contains {
            Signature($0.name).labels == wanted.labels && index.enclosing($0).contains(member.owner)
        }
        let ancestors = index.ancestors(of: member.owner)
        if own.isEmpty, !declared, wanted.base == "hash", ancestors.contains("Hashable") {
            // The compiler writes it itself, and notes neither its declaration nor its use.
            return finding("\(member.owner).\(member.name)", uses[member.owner] ?? [], count: member.count)
        }
        let inherited = found.filter { use in
            let owners = index.enclosing(use.symbol)
            // Operators may be declared outside of the type that they compare.
            if owners.isEmpty { return member.owner == "(global)" || wanted.base == "==" }
            return owners.contains { ancestors.contains($0) || index.ancestors(of: $0).contains(member.owner) }
        }
        return finding("\(member.owner).\(member.name)", declared ? own : inherited, count: member.count)
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
