internal import RxLoop
internal import RxPlatform
internal import RxConfiguration
internal import RxStore
internal import ArgumentParser
internal import Glibc
internal import RxHost
internal import RxJSON

// Replay: compares the states that a reactor's kept actions give under another configuration with the kept ones.
//
// `rxctl replay NAME --against DIR` executes `rxd --replay NAME --config DIR`. It needs no daemon: it only reads the
// database. RxHost's Rehearsal does the work; this file has the options, the output, and the exit statuses.

/// The options of `--replay`.
struct ReplayOptions: ParsableArguments {
    @Option(
        name: .customLong("replay"),
        help: ArgumentHelp(
            "Compare the states that a reactor's kept actions give under --config with the kept ones.",
            discussion: "Exits with 0 if they are equal, 1 if not. Nothing is executed or changed.",
            valueName: "reactor"))
    var reactor: String?

    @Option(help: ArgumentHelp("Begin at this revision.", valueName: "revision"))
    var from: UInt64?

    @Option(help: ArgumentHelp("End at this revision.", valueName: "revision"))
    var to: UInt64?

    @Flag(help: "Print all differences, not only the first ones.")
    var all = false

    @Flag(help: "Reduce the kept mutations instead of computing them from the actions.")
    var mutations = false

    @Flag(help: "After a difference, continue from the kept state.")
    var each = false

    func validate() throws {
        guard reactor == nil else {
            if let from, let to, from > to { throw ValidationError("--from comes before --to.") }
            return
        }
        if from != nil || to != nil || all || mutations || each {
            throw ValidationError("--from, --to, --all, --mutations, and --each go with --replay.")
        }
    }
}

extension ReplayOptions {
    /// The exit code if some states differ.
    private static let different = ExitCode(1)

    func run(
        under configuration: Configuration, _ places: Places, _ platform: Platform
    ) throws(OfflineFailure) -> ExitCode {
        let summary = try rehearse(reactor ?? "", configuration, places, platform)
        return summary.different == 0 ? .success : Self.different
    }

    private func rehearse(
        _ name: String, _ configuration: Configuration, _ places: Places, _ platform: Platform
    ) throws(OfflineFailure) -> RehearsalSummary {
        let host = ReplayHost()
        let configured = configuration.reactors.first { $0.name == name }
        guard let definition = configured?.definition(host: host, clock: platform.monotonicClock) else {
            throw OfflineFailure(status: .notFound, message: "there is no reactor \(name) in \(places.configuration)")
        }
        var scope = Rehearsal.Scope()
        (scope.from, scope.through) = (from, to)
        (scope.takesMutations, scope.returnsToKept) = (mutations, each)
        if all { scope.mostReported = .max }
        let path = places.state + "/reactors.db"
        // After a failed write, nothing more is written.
        var outputError: Int32 = 0
        do {
            let rehearsal = Rehearsal(
                of: name, under: definition, try StateArchive(path: path, on: platform.disk), scope
            ) {
                if outputError == 0 { outputError = StandardOutput.write($0.line) }
            }
            let summary = try rehearsal.run()
            if outputError == 0 {
                outputError = StandardOutput.write(summary.line(executions: host.executions))
            }
            guard outputError == 0 else {
                throw OfflineFailure(
                    status: .unwritable, message: "standard output: \(SystemErrorName.text(of: outputError))")
            }
            return summary
        } catch let failure as OfflineFailure {
            throw failure
        } catch let error as StoreError {
            throw OfflineFailure(error, missing: "no reactor has persisted there")
        } catch let failure as Rehearsal.Failure {
            throw OfflineFailure(failure, reactor: name, path: path)
        } catch {
            throw OfflineFailure(status: .unreadable, message: "\(error)")
        }
    }
}

extension OfflineFailure {
    fileprivate init(_ failure: Rehearsal.Failure, reactor: String, path: String) {
        switch failure {
        case .nothingKept:
            self.init(status: .notFound, message: "nothing is kept of a reactor \(reactor) in \(path)")
        case .outside(let kept):
            self.init(
                status: .notFound,
                message: "the history of \(reactor) has revisions \(kept.lowerBound) to \(kept.upperBound)")
        case .lost(let revision):
            self.init(status: .notFound, message: "revision \(revision) of \(reactor) was lost")
        case .store(let error): self.init(error, missing: "no reactor has persisted there")
        }
    }
}
