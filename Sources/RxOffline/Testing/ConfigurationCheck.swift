internal import Glibc
package import RxConfiguration
internal import RxJq
package import RxPlatform
package import RxSources

/// `rxd --check`: the faults and warnings of a configuration, its tests included.
package struct ConfigurationCheck {
    /// The lines to print: warnings, then faults.
    package private(set) var lines: [String]
    /// Whether there are no faults.
    package let isValid: Bool

    /// Checks a configuration that could be loaded from `directory`.
    package init(
        _ configuration: Configuration, in directory: String, _ surroundings: StreamSurroundings,
        on platform: Platform
    ) {
        lines = configuration.warnings.map(\.description)
        lines += Self.bootWarning(configuration, directory).map { [$0.description] } ?? []
        do {
            let tests = try configuration.tests(directory: directory, surroundings: surroundings)
            guard !tests.isEmpty else {
                isValid = true
                return
            }
            let suite = ConfiguredTestSuite(
                configuration, evaluator: StreamEvaluator(), surroundings: surroundings)
            let check = TestCheck(tests, in: suite, clock: platform.monotonicClock)
            lines += check.warnings.map(\.description) + check.faults.map(\.description)
            isValid = check.faults.isEmpty
        } catch {
            lines += error.faults.map(\.description)
            isValid = false
        }
    }
}

extension ConfigurationCheck {
    /// A warning if nothing starts the daemon at boot: its socket alone starts it only for a client.
    private static func bootWarning(_ configuration: Configuration, _ directory: String) -> ConfigurationWarning? {
        var manager = ServiceEnablement.Manager.system
        if let home = getenv("HOME").map({ String(cString: $0) }), directory.hasPrefix(home + "/.config/") {
            manager = .user(home: home)
        }
        guard !configuration.streams.isEmpty, ServiceEnablement(of: "rxd.service", in: manager) == .disabled
        else { return nil }
        return configuration.streamWarning(
            "rxd.service is not enabled, so no stream runs after a boot until a client connects; run "
                + "`\(manager.command(enabling: "rxd.service"))`")
    }
}

extension FileReader {
    /// The user of rxd.service if root checks a configuration; otherwise the one who does.
    package static var ofService: FileReader { getuid() == 0 ? .named("rxd") ?? .process : .process }
}
