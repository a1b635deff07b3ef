internal import RxHost
internal import RxStreams

extension Configuration {
    /// A warning that concerns all streams, at the first one; nil if there are no streams.
    package func streamWarning(_ message: String) -> ConfigurationWarning? {
        guard let first = streams.first, let line = first.lines[""] else { return nil }
        let key = first.owner.map { [$0.section, $0.name, "on"] } ?? ["stream", first.name]
        return ConfigurationWarning(file: line.file, line: line.line, key: dottedKey(key), message: message)
    }
}
