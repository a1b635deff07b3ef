internal import Jq

/// The jq programs of a configuration, compiled when all of them are known: together they take no longer than one.
final class ProgramList {
    private var programs: [(text: String, place: SourcePlace, key: [String])] = []

    func add(_ text: String, at place: SourcePlace, key: [String]) {
        programs.append((text, place, key))
    }

    func check(_ faults: FaultList) {
        for (index, error) in JqProgram.faults(in: programs.map(\.text)) {
            faults.add("is no jq program: \(error)", at: programs[index].place, key: programs[index].key)
        }
    }
}
