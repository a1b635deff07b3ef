package import RxConfiguration
package import RxPlatform
package import RxProcess
package import RxSources
internal import RxStreams

/// Where the daemon finds its configuration, and where its socket and its state are.
package struct Places {
    /// The directory unless an option names another; only this one may be missing.
    package static let defaultConfiguration = "/etc/rxd"

    package let configuration: String
    /// Nil if no directory for it is known.
    package let socket: String?
    package let state: String
    /// Whether the configuration may be missing: one that no option names.
    package var mayBeMissing: Bool
    /// `$XDG_RUNTIME_DIR`, if the socket is in the directory `rxd` of it, which a start makes if it is missing.
    package var sessionDirectory: String?
    /// What a start makes if it is missing, from the outermost.
    package var stateDirectories: [String] = []
    /// Where files that must not reach a disk may be, from the best place.
    package var runtimeDirectories: [String?]

    /// These places, where all that a start makes exists.
    package init(
        configuration: String, socket: String?, state: String, mayBeMissing: Bool = false,
        runtimeDirectories: [String?] = []
    ) {
        self.configuration = configuration
        self.socket = socket
        self.state = state
        self.mayBeMissing = mayBeMissing
        self.runtimeDirectories = runtimeDirectories
    }

    /// The files with parts of inputs.
    package var inputFiles: InputFiles { InputFiles(stateDirectory: state, runtimeDirectories: runtimeDirectories) }

    /// Reads the configuration.
    ///
    /// - Parameters:
    ///   - clock: shows the time at which it is read.
    ///   - reader: who will read the files of its sources, and start its programs, if these are to be checked:
    ///     see `SourceCheck`. Nil for a start and a reload, which a disk that does not answer must not hold up.
    ///   - earlier: one that was loaded before, whose programs are not compiled again.
    package func load(
        at clock: WallClock, for reader: FileReader? = nil, after earlier: Configuration? = nil
    ) throws(ConfigurationErrors) -> Configuration {
        // Who checks the configuration of the service is not in the service.
        let check = SourceCheck(
            reader: reader, isOfService: reader != nil && configuration == Self.defaultConfiguration)
        let programs = reader.map { _ in ProgramCheck() }
        var surroundings = StreamSurroundings(clock: clock) {
            check.problems(of: $0) + (programs?.problems(of: $0) ?? [])
        }
        surroundings.programs = programs
        return try Configuration.load(
            directory: configuration, mayBeMissing: mayBeMissing, surroundings: surroundings, after: earlier)
    }

    /// Reads the tests of the configuration, which a start or a reload does not.
    package func tests(
        of loaded: Configuration, _ surroundings: StreamSurroundings
    ) throws(ConfigurationErrors) -> [ConfiguredTest] {
        try loaded.tests(directory: configuration, surroundings: surroundings)
    }
}

extension ProgramCheck {
    /// A warning if the program of a source cannot be started.
    fileprivate func problems(of source: ExternalSource) -> [SourceProblem] {
        guard source.kind == "program", let program = source.texts("program")?.first,
            let message = problem(of: program, cwd: nil, adding: [:])
        else { return [] }
        return [SourceProblem(at: "program", "[0]", message: message, isFault: false)]
    }
}
