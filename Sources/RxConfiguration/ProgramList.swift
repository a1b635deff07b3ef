internal import Jq
internal import RxHost
internal import RxStreams

/// The jq programs of a configuration. They are compiled together, which takes about as long as compiling one.
final class ProgramList {
    private var programs: [(text: String, place: SourcePlace, key: [String])] = []
    private var streamPrograms: [(program: StreamProgram, place: SourcePlace, key: [String])] = []
    private var parts: [(place: SourcePlace, key: [String])] = []

    func add(_ text: String, at place: SourcePlace, key: [String]) {
        programs.append((text, place, key))
    }

    /// Adds a program of a stream. Unlike those of reactors, it has the names `$key` and `$from`, and `now` is the time
    /// of the element.
    func add(_ program: StreamProgram, at place: SourcePlace, key: [String]) {
        streamPrograms.append((program, place, key))
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

    /// The most programs that are compiled together. If one is invalid, or if there are more than jq can nest (some
    /// thousands), each of them is compiled by itself, which takes about 15 ms.
    private static let mostTogether = 100

    func check(_ faults: FaultList) {
        let checked = streamPrograms.filter { program, place, key in
            guard let message = StreamProgram.fault(in: program.text) else { return true }
            faults.add(message, at: place, key: key)
            return false
        }
        let texts = programs.map(\.text) + checked.map { StreamProgramCheck.compiled($0.program.text) }
        let places = programs.map { ($0.place, $0.key) } + checked.map { ($0.place, $0.key) }
        for start in stride(from: 0, to: texts.count, by: Self.mostTogether) {
            let end = min(start + Self.mostTogether, texts.count)
            for (offset, error) in JqProgram.faults(in: Array(texts[start..<end])) {
                let (place, key) = places[start + offset]
                let message = StreamProgramCheck.message("\(error)")
                faults.add("is not a valid jq program: \(message)", at: place, key: key)
            }
        }
    }
}
