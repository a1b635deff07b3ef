internal import Jq

/// The jq programs of a configuration. They are compiled together, which takes about as long as compiling one.
final class ProgramList {
    private var programs: [(text: String, place: SourcePlace, key: [String])] = []

    func add(_ text: String, at place: SourcePlace, key: [String]) {
        programs.append((text, place, key))
    }

    func check(_ faults: FaultList) {
        for (index, error) in JqProgram.faults(in: programs.map(\.text)) {
            faults.add("is not a valid jq program: \(error)", at: programs[index].place, key: programs[index].key)
        }
    }
}
