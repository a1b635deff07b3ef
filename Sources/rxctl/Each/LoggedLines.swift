/// What a job log has of the lines of an input.
struct LoggedLines {
    enum State {
        /// It is to be executed: it has not ended yet, or has not completed.
        case open
        case completed
        /// Another input has completed as the line of this number.
        case edited
    }

    private struct Line {
        var input: String
        var isCompleted: Bool
        var tries: Int
    }

    private var lines: [Int: Line] = [:]

    mutating func add(_ entry: JobLogEntry) {
        let before = lines[entry.line]
        let isCompleted = entry.state == .completed
        // A line that has completed stays so.
        if let before, before.isCompleted, !isCompleted { return }
        lines[entry.line] = Line(input: entry.input, isCompleted: isCompleted, tries: (before?.tries ?? 0) + 1)
    }

    /// A line is recognized by its number and the hash of its input. One that has not completed may have been edited.
    func state(of line: EachLine) -> State {
        guard let logged = lines[line.number], logged.isCompleted else { return .open }
        return logged.input == line.hash ? .completed : .edited
    }

    /// How often a line has ended.
    func tries(of number: Int) -> Int { lines[number]?.tries ?? 0 }
}
