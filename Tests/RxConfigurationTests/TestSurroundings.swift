import RxStreams
import RxTime

@testable import RxConfiguration

// What is read at a time that does not matter: on 2026-06-01T00:00Z, with the machine's zones.

extension StreamSurroundings {
    static let ofTests = StreamSurroundings(now: Instant(seconds: 1_780_272_000), zones: .system())
}

extension Configuration {
    static func load(
        directory: String, mayBeMissing: Bool = false, identities: Identities = .system
    ) throws(ConfigurationErrors) -> Configuration {
        try load(
            directory: directory, mayBeMissing: mayBeMissing, identities: identities, surroundings: .ofTests)
    }

    func tests(directory: String) throws(ConfigurationErrors) -> [ConfiguredTest] {
        try tests(directory: directory, surroundings: .ofTests)
    }
}

extension ConfiguredTestSuite {
    init(_ configuration: Configuration, evaluator: any ProgramEvaluator) {
        self.init(configuration, evaluator: evaluator, surroundings: .ofTests)
    }
}
