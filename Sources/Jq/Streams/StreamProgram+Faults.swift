public import RxStreams

extension StreamProgram {
    /// Returns what is wrong with each invalid program by its index: what `fault(in:)` rejects, or jq's message. A
    /// variable other than `$key` and `$from` is a fault. The programs are compiled together, which takes about as long
    /// as one if all are valid.
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
        guard !unchecked.isEmpty else { return faults }
        if Evaluation.compiles(together: unchecked.map { EvaluatedProgram(programs[$0]).text }) { return faults }
        for index in unchecked {
            if let fault = LocalProgram(programs[index]).fault { faults[index] = fault }
        }
        return faults
    }
}
