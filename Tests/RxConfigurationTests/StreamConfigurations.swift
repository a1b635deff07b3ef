import RxStreams
import RxTime
import TestSupport

@testable import RxConfiguration

/// A directory with one configuration, read on 2026-06-01T00:00Z.
struct StreamConfigurations {
    let directory = TemporaryDirectory()
    var zones = ZoneFiles.system()
    var problems: @Sendable (ExternalSource) -> [SourceProblem] = { _ in [] }

    func load(_ text: String) throws -> Configuration {
        directory.write("rxd.toml", text)
        return try Configuration.load(
            directory: directory.path,
            surroundings: StreamSurroundings(
                now: Instant(seconds: 1_780_272_000), zones: zones, problems: problems))
    }

    /// The faults, one a line, without the directory.
    func faults(_ text: String) -> [String] {
        do {
            _ = try load(text)
            return []
        } catch {
            return (error as? ConfigurationErrors)?.faults.map { plain($0.description) } ?? ["\(error)"]
        }
    }

    /// The warnings, one a line, without the directory; the faults, if there are any.
    func warnings(_ text: String) -> [String] {
        (try? load(text).warnings.map { plain($0.description) }) ?? faults(text)
    }

    private func plain(_ message: String) -> String { message.replacing(directory.path + "/", with: "") }
}
