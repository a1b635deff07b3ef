internal import Jq
internal import RxHost

/// The jq programs of a configuration. They are compiled together, which takes about as long as compiling one.
final class ProgramList {
    private var programs: [(text: String, place: SourcePlace, key: [String])] = []
    private var parts: [(place: SourcePlace, key: [String])] = []

    func add(_ text: String, at place: SourcePlace, key: [String]) {
        programs.append((text, place, key))
    }

    /// The lines of the programs in a table, and of the parts of the table that were noted, by their keys in it.
    func lines(of table: [String]) -> [String: SourceLine] {
        var lines: [String: SourceLine] = [:]
        let all = parts + programs.map { ($0.place, $0.key) }
        for (place, key) in all where key.starts(with: table) {
            lines[dottedKey(Array(key.dropFirst(table.count)))] = SourceLine(file: place.file, line: place.line)
        }
        return lines
    }

    /// Notes where a part of a table begins that may have no program.
    func note(_ place: SourcePlace, key: [String]) { parts.append((place, key)) }

    func check(_ faults: FaultList) {
        for (index, error) in JqProgram.faults(in: programs.map(\.text)) {
            faults.add("is not a valid jq program: \(error)", at: programs[index].place, key: programs[index].key)
        }
    }
}
