// Prints the names of a vocabulary that a client's sources do not use. What is used, and where, comes from the index
// that the compiler writes while it builds.
//
//     names LIST STORE FOLDER [--lines]
//
// Reading order: Vocabulary, Index, Comparison, Arguments.
import Foundation

let arguments = CommandLine.arguments
guard arguments.count >= 4 else {
    print("usage: names LIST STORE FOLDER [--lines]")
    exit(64)
}
let vocabulary: Vocabulary
let comparison: Comparison
do {
    vocabulary = Vocabulary(try String(contentsOfFile: arguments[1], encoding: .utf8))
    comparison = try Comparison(Index(store: arguments[2]), folder: arguments[3])
} catch {
    print("names: \(error)")
    exit(66)
}
let findings = vocabulary.types.map(comparison.type) + vocabulary.members.map(comparison.member)
for finding in findings {
    if let problem = finding.problem { print("\(finding.name) \(problem)") }
    if arguments.contains("--lines") { print("\(finding.name)\t\(finding.places.joined(separator: " "))") }
}
let missing = findings.count { $0.problem != nil }
print("names: \(vocabulary.types.count) types and \(vocabulary.members.count) members, \(missing) of them not used")
exit(missing == 0 && !findings.isEmpty ? 0 : 1)
