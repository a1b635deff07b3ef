public import RxStreams

/// What sources know about their own arguments: the faults and warnings of a configuration beyond types and ranges.
///
/// The environment is never a fault: a path that is missing or cannot be read may be there tomorrow.
public struct SourceCheck: Sendable {
    private let reader: FileReader?
    private let isOfService: Bool
    private let mounts: MountTable

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - reader: the user who will run the sources. Whether that user can read their paths is found out by looking at
    ///     them, which may wait for a server on the network. Nil for a check that does not wait.
    ///   - isOfService: whether rxd.service will run them, which has a /tmp of its own, unlike this process. A process
    ///     that has one knows it by itself.
    public init(reader: FileReader? = nil, isOfService: Bool = false) {
        self.init(reader: reader, isOfService: isOfService, mounts: MountTable())
    }

    init(reader: FileReader?, isOfService: Bool = false, mounts: MountTable) {
        self.reader = reader
        self.isOfService = isOfService
        self.mounts = mounts
    }

    /// The problems of a source, in the order of its parameters.
    public func problems(of source: ExternalSource) -> [SourceProblem] {
        switch source.kind {
        case "path":
            globs("include", source) + globs("exclude", source)
                + warnings(source, "path", isDirectory: true)
        case "lines": warnings(source, "lines", isDirectory: false)
        case "journal": journal(source)
        case "unit": unit(source)
        case "bus": bus(source)
        case "signal": signal(source)
        default: []
        }
    }

    private func warnings(_ source: ExternalSource, _ parameter: String, isDirectory: Bool) -> [SourceProblem] {
        let warnings = PathWarnings(
            source.text(parameter) ?? "", isDirectory: isDirectory, reader, isOfService: isOfService, mounts: mounts)
        return warnings.texts.map { SourceProblem(at: parameter, message: $0, isFault: false) }
    }

    private func globs(_ parameter: String, _ source: ExternalSource) -> [SourceProblem] {
        (source.texts(parameter) ?? []).enumerated().compactMap { index, text in
            guard PathGlob(text) == nil else { return nil }
            let reason = text == "/" ? "it names nothing" : "a set such as [a-z] is not closed"
            return SourceProblem(
                at: parameter, "[\(index)]", message: "\(text.debugDescription) is not a pattern: \(reason)",
                isFault: true)
        }
    }

    private func journal(_ source: ExternalSource) -> [SourceProblem] {
        do {
            _ = try JournalRule((source.table("journal") ?? [:]).mapValues { [$0] })
            return []
        } catch {
            return [SourceProblem(at: "journal", error.field, message: error.description, isFault: true)]
        }
    }

    private func unit(_ source: ExternalSource) -> [SourceProblem] {
        do {
            _ = try UnitPattern(source.text("unit") ?? "")
            return []
        } catch {
            return [SourceProblem(at: "unit", message: error.description, isFault: true)]
        }
    }

    private func bus(_ source: ExternalSource) -> [SourceProblem] {
        let table = source.table("bus") ?? [:]
        do {
            _ = try BusSignalRule(
                interface: table["interface"], member: table["member"], path: table["path"], sender: table["sender"])
            return []
        } catch {
            var problem = SourceProblem(at: "bus", message: error.description, isFault: true)
            if let key = error.key { problem.path.append(key) }
            return [problem]
        }
    }

    private func signal(_ source: ExternalSource) -> [SourceProblem] {
        do {
            _ = try SignalName(source.text("signal") ?? "")
            return []
        } catch {
            return [SourceProblem(at: "signal", message: error.description, isFault: true)]
        }
    }
}
