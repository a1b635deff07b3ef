internal import Jq
internal import RxHost
internal import RxStreams

/// The jq programs of a configuration. They are compiled together, which takes about as long as compiling one; those
/// that are known to be valid are not compiled.
final class ProgramList {
    private let known: Set<String>
    /// The texts of all programs as they were compiled, if none had a fault.
    private(set) var compiled: Set<String> = []
    private var programs: [(text: String, place: SourcePlace, key: [String])] = []
    private var streamPrograms: [(program: StreamProgram, place: SourcePlace, key: [String])] = []
    private var conditions: [(text: String, place: SourcePlace, key: [String])] = []
    private var parts: [(place: SourcePlace, key: [String])] = []

    /// - Parameter known: texts that were compiled without a fault before.
    init(known: Set<String> = []) { self.known = known }

    /// Adds a program of a reactor.
    ///
    /// - Parameter isCondition: whether it is a `when`.
    func add(_ text: String, isCondition: Bool, at place: SourcePlace, key: [String]) {
        programs.append((text, place, key))
        if isCondition { conditions.append((text, place, key)) }
    }

    /// Adds a program of a stream. Unlike those of reactors, it has the names `$key` and `$from`, and `now` is the time
    /// of the element.
    func add(_ program: StreamProgram, at place: SourcePlace, key: [String]) {
        streamPrograms.append((program, place, key))
        if program.use == .condition { conditions.append((program.text, place, key)) }
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

    /// The most programs that are compiled together. jq cannot nest more than some thousands, and a compilation takes
    /// about 10 ms, so that one invalid program among them costs fifteen.
    private static let mostTogether = 100

    /// Adds the faults of all programs, and warnings about conditions.
    ///
    /// - Parameter files: the texts that the programs are from.
    func check(_ faults: FaultList, in files: [ConfigurationFile]) {
        let checked = streamPrograms.filter { program, place, key in
            guard let message = StreamProgram.fault(in: program.text) else { return true }
            if StreamProgram.closesTooMuch(program.text),
                let error = JqProgram.fault(of: StreamProgramCheck.compiled(program.text))
            {
                add(error, at: place, key, to: faults, in: files)
            } else {
                faults.add(message, at: place, key: key)
            }
            return false
        }
        let all =
            programs + checked.map { (StreamProgramCheck.compiled($0.program.text), place: $0.place, key: $0.key) }
        compiled = Set(all.map(\.text))
        let new = all.filter { !known.contains($0.text) }
        for start in stride(from: 0, to: new.count, by: Self.mostTogether) {
            let together = new[start..<min(start + Self.mostTogether, new.count)]
            for (offset, error) in JqProgram.faults(in: together.map(\.text)) {
                add(error, at: new[start + offset].place, new[start + offset].key, to: faults, in: files)
            }
        }
        for (text, place, key) in conditions where StreamProgram.assigns(in: text) {
            faults.warn("\"=\" assigns; write \"==\" to compare", at: place, key: key)
        }
    }

    private func add(
        _ error: JqError, at place: SourcePlace, _ key: [String], to faults: FaultList, in files: [ConfigurationFile]
    ) {
        let fault = ProgramFault(error, of: place, in: files)
        faults.add("is not a valid jq program: \(fault.message)", at: fault.place, key: key)
    }
}

/// A fault of a program, with its place in the file.
private struct ProgramFault {
    let message: String
    let place: SourcePlace

    /// - Parameter key: the line of the program's key.
    init(_ error: JqError, of key: SourcePlace, in files: [ConfigurationFile]) {
        guard case .invalidProgram(let compiled) = error else {
            (message, place) = ("\(error)", key)
            return
        }
        let fault = StreamProgramCheck.written(compiled)
        guard let character = fault.place else {
            (message, place) = (fault.message, key)
            return
        }
        // The line is in the file as it is in the program, unless a string has escapes. A program between ''' begins
        // in the line after its key.
        let lines = files.first { $0.path == key.file }?.bytes
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in [key.line + character.line - 1, key.line + character.line] {
            guard let lines, lines.indices.contains(line - 1), !character.text.isEmpty else { break }
            let text = String(decoding: lines[line - 1], as: UTF8.self)
            let quoted = ["'", "\""].lazy.compactMap { text.firstRange(of: $0 + character.text)?.lowerBound }.first
            let plain = text.hasPrefix(character.text) ? text.startIndex : nil
            guard let start = quoted.map({ text.index(after: $0) }) ?? plain else { continue }
            let column = text[..<start].count + character.column
            message = "\(fault.message) at column \(column): \(character.text)"
            place = SourcePlace(file: key.file, line: line)
            return
        }
        let line = character.line > 1 ? "line \(character.line), " : ""
        message = "\(fault.message) at \(line)column \(character.column) of the program: \(character.text)"
        place = key
    }
}
