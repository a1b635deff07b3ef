public import RxStreams

extension StreamProgram {
    /// Returns what is wrong with each invalid program by its index: what `fault(in:)` rejects, or jq's message. A
    /// variable other than `$key` and `$from` is a fault. The programs are compiled together, as `Evaluation.faults`
    /// states.
    public static func faults(in programs: [StreamProgram]) -> [Int: String] {
        var faults: [Int: String] = [:]
        var unchecked: [Int] = []
        for (index, program) in programs.enumerated() {
            if let fault = program.faultOfText ?? fault(in: program.text) {
                faults[index] = fault
            } else {
                unchecked.append(index)
            }
        }
        let texts = unchecked.map { EvaluatedProgram(programs[$0]).text }
        for (place, fault) in Evaluation.faults(in: texts, { LocalProgram(programs[unchecked[$0]]).fault }) {
            faults[unchecked[place]] = fault
        }
        return faults
    }
}
