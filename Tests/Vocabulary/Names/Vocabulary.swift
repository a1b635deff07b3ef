/// The list of names: a line of types and then a line of members for each type, in sections named after modules.
struct Vocabulary {
    struct Member {
        let owner: String
        /// As Swift writes it: `subscribe(with:onNext:)`, `isDisposed`.
        let name: String
        /// How many declarations of this name there are.
        let count: Int
    }

    private(set) var types: [String] = []
    private(set) var members: [Member] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            if line.hasPrefix("types: ") {
                types += line.dropFirst("types: ".count).split(separator: ",").compactMap {
                    $0.split(separator: " ").last.map(String.init)
                }
            } else if line.hasPrefix("- "), let colon = line.range(of: ": ") {
                let owner = String(line[..<colon.lowerBound].dropFirst(2))
                for member in line[colon.upperBound...].split(separator: ", ") {
                    let parts = member.split(separator: " ×")
                    members.append(
                        Member(
                            owner: owner, name: String(parts[0]), count: parts.count > 1 ? Int(parts[1]) ?? 1 : 1))
                }
            }
        }
    }
}

/// A name taken apart: `zip(_:_:resultSelector:)` is `zip` of two unlabeled ones and one labeled `resultSelector`.
struct Signature {
    let base: String
    let labels: [String]
    let unlabelled: Int

    init(_ name: String) {
        guard let open = name.firstIndex(of: "("), name.hasSuffix(")"), open != name.startIndex else {
            (base, labels, unlabelled) = (name, [], 0)
            return
        }
        let all = name[name.index(after: open)...].dropLast().split(separator: ":").map(String.init)
        base = String(name[..<open])
        labels = all.filter { $0 != "_" }
        unlabelled = all.count - labels.count
    }
}
