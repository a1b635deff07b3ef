import FoundationEssentials
import Testing

/// Every public operator and every way to subscribe in `Sources/Rx` must have a case in the tables of `ReleaseTests`.
///
/// Names are `kind.name(labels)`; operators of observables have no kind. All numbers of sources of `zip` and
/// `combineLatest` count as two, because one implementation serves them. Deprecated names only call current ones.
@Suite("The release tests cover the library")
struct ReleaseCoverageTests {
    private static let sources =
        #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/Sources/Rx"

    @Test("all public operators and ways to subscribe")
    func complete() throws {
        let declared = try ReleaseCoverageTests.declaredNames()
        // The parser found the library.
        #expect(declared.isSuperset(of: ["map(_:)", "Single.zip(_:_:resultSelector:)", "subscribe(_:)"]))
        let covered = Set(
            ((ReleaseCase.all + ReleaseCase.main).map(\.testDescription)
                + (SubscribeForm.all + SubscribeForm.main).map(\.testDescription)
                + AsynchronousForm.allCases.map(\.rawValue)).map(ReleaseCoverageTests.name))
        #expect(declared.subtracting(covered).sorted() == [], "add a case to the tables of ReleaseTests")
        #expect(covered.subtracting(declared).sorted() == [], "a case names what the library does not declare")
    }

    /// The part of a case's description that names a declaration.
    private static func name(_ description: String) -> String {
        String(description.prefix(through: description.firstIndex(of: ")") ?? description.startIndex))
    }

    private static func declaredNames() throws -> Set<String> {
        var names = Set<String>()
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources)
        for file in files where file.hasSuffix(".swift") && !file.hasPrefix("Deprecated/") {
            guard let data = FileManager.default.contents(atPath: sources + "/" + file) else { continue }
            names.formUnion(declaredNames(in: String(decoding: data, as: UTF8.self)))
        }
        return names
    }

    private static func declaredNames(in text: String) -> Set<String> {
        var names = Set<String>()
        var kind: String?
        var rest = Substring(text)
        while let end = rest.firstIndex(of: "\n") {
            let line = rest[..<end]
            if line.first?.isLetter == true { kind = self.kind(ofExtension: line) }
            if let kind, line.hasPrefix("    "), !line.hasPrefix("     "),
                line.contains("public ") || line.contains("open "),
                let function = line.firstRange(of: " func ")
            {
                let name = signature(rest[function.upperBound...])
                names.insert(kind.isEmpty ? name : kind + "." + name)
            }
            rest = rest[rest.index(after: end)...]
        }
        return names
    }

    private static let keywords: Set<String> = [
        "public", "open", "final", "extension", "class", "struct", "protocol", "enum",
    ]

    /// The kind of sequence that a declaration at the left margin is about; nil if it is about something else.
    private static func kind(ofExtension line: Substring) -> String? {
        let words = line.split { " :<{,".contains($0) }
        guard let type = words.first(where: { !keywords.contains(String($0)) }) else { return nil }
        switch type {
        // Unlike the protocol, which it conforms to, it declares its function as public.
        case "ConnectableObservable": return ""
        case "ObservableType", "ConnectableObservableType", "ObservableConvertibleType": return ""
        case "AsyncSequence": return "AsyncSequence"
        case "Infallible", "InfallibleType": return "Infallible"
        case "PrimitiveSequence", "PrimitiveSequenceType":
            let trait = words.first { $0.hasSuffix("Trait") && $0 != "Trait" }
            return trait.map { String($0.dropLast(5)) } ?? "PrimitiveSequence"
        // Their own declarations have only conversions.
        case "MainObservable", "MainInfallible", "MainInfallibleType":
            return words.first == "extension" ? String(type) : nil
        case "MainPrimitiveSequence", "MainPrimitiveSequenceType":
            let trait = words.first { $0.hasSuffix("Trait") && $0 != "Trait" }
            let suffix = type.hasSuffix("Type") ? "Type" : ""
            return words.first == "extension" ? trait.map { "Main" + $0.dropLast(5) + suffix } ?? String(type) : nil
        default: return nil
        }
    }

    /// The name and the labels of a function, from the text after `func`.
    private static func signature(_ text: Substring) -> String {
        let name = text.prefix { $0.isLetter || $0 == "`" }.filter { $0 != "`" }
        var labels: [Substring] = []
        var depth = 0, angles = 0
        var start: Substring.Index?
        var last: Character = " "
        for index in text.indices {
            let character = text[index]
            switch character {
            // Generic parameters precede the arguments.
            case "<": angles += 1
            case ">" where last != "-": angles -= 1
            case "(", "[", "{":
                depth += 1
                if depth == 1, angles == 0 { start = text.index(after: index) }
            case ")", "]", "}": depth -= 1
            default: break
            }
            let ends = depth == 0 && character == ")" && start != nil
            if let from = start, ends || (depth == 1 && angles == 0 && character == ",") {
                let words = text[from..<index].split { $0.isWhitespace || $0 == ":" }
                if let label = words.first { labels.append(label) }
                start = text.index(after: index)
            }
            if ends { break }
            last = character
        }
        while labels.count > 2, labels[0] == "_", labels[1] == "_", labels[2] == "_" { labels.removeFirst() }
        return name + "(" + labels.map { $0 + ":" }.joined() + ")"
    }
}
