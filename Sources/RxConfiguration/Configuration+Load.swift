extension Configuration {
    /// Reads `directory/rxd.toml` and `directory/conf.d/*.toml`, the latter in the order of their names.
    ///
    /// A missing directory is a fault, or with `mayBeMissing` an empty configuration. The programs of `earlier`, which
    /// was loaded without a fault, are not compiled again.
    package static func load(
        directory: String, mayBeMissing: Bool = false, identities: Identities = .system,
        surroundings: StreamSurroundings, after earlier: Configuration? = nil
    ) throws(ConfigurationErrors) -> Configuration {
        let faults = FaultList()
        let paths = ConfigurationFiles.paths(directory: directory, mayBeMissing: mayBeMissing, faults: faults)
        let files = paths.compactMap { ConfigurationFiles.read($0, isOptional: $0 == paths.first, faults: faults) }
        let roots = files.compactMap { TOMLFile.parse($0, faults: faults) }
        var configuration = ConfigurationReader(
            directory: directory, identities: identities, surroundings: surroundings,
            validPrograms: earlier?.validPrograms ?? [], faults: faults
        ).read(roots, of: files)
        if !identities.users.distinguishes(identities.own) {
            faults.add(
                "rxd runs as uid \(identities.own), which its user namespace shows for every unmapped user, so each "
                    + "of them would have every right; map the user of rxd",
                file: directory)
        }
        guard faults.isEmpty else { throw ConfigurationErrors(faults: faults.sorted(files: paths)) }
        configuration.warnings = faults.sortedWarnings(files: paths)
        return configuration
    }
}
