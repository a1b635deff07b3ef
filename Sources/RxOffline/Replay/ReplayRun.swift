package import RxConfiguration
package import RxHost
internal import RxJSON
package import RxPlatform
internal import RxStore

/// A replay: compares the states that a reactor's kept actions give under another configuration with the kept ones.
///
/// `rxctl replay NAME --against DIR` executes `rxd --replay NAME --config DIR`. It needs no daemon: it only reads the
/// database. RxHost's Rehearsal does the work; this type has the output and the exit statuses.
package struct ReplayRun {
    /// The exit status if some states differ.
    package static let different: Int32 = 1

    private let reactor: String
    private let scope: Rehearsal.Scope
    private let configuration: Configuration
    private let directory: String
    private let state: String
    private let platform: Platform

    /// - Parameters:
    ///   - reactor: the name of the reactor.
    ///   - scope: the revisions, and how they are compared.
    ///   - configuration: the other configuration.
    ///   - directory: the directory of that configuration, for messages.
    ///   - state: the state directory.
    package init(
        of reactor: String, _ scope: Rehearsal.Scope, under configuration: Configuration, in directory: String,
        state: String, on platform: Platform
    ) {
        self.reactor = reactor
        self.scope = scope
        self.configuration = configuration
        self.directory = directory
        self.state = state
        self.platform = platform
    }

    /// Prints the differences and a summary.
    ///
    /// - Returns: the exit status: 0 if all states are equal.
    package func run() throws(OfflineFailure) -> Int32 { try rehearse().different == 0 ? 0 : Self.different }

    private func rehearse() throws(OfflineFailure) -> RehearsalSummary {
        let host = ReplayHost()
        let configured = configuration.reactors.first { $0.name == reactor }
        guard let definition = configured?.definition(host: host, clock: platform.monotonicClock) else {
            throw OfflineFailure(status: .notFound, message: "there is no reactor \(reactor) in \(directory)")
        }
        let path = state + "/reactors.db"
        // After a failed write, nothing more is written.
        var outputError: Int32 = 0
        do {
            let rehearsal = Rehearsal(
                of: reactor, under: definition, try StateArchive(path: path, on: platform.disk), scope
            ) {
                if outputError == 0 { outputError = StandardOutput.write($0.line) }
            }
            let summary = try rehearsal.run()
            if outputError == 0 {
                outputError = StandardOutput.write(summary.line(executions: host.executions))
            }
            guard outputError == 0 else { throw OfflineFailure.output(outputError) }
            return summary
        } catch let failure as OfflineFailure {
            throw failure
        } catch let error as StoreError {
            throw OfflineFailure(error, missing: "no reactor has persisted there")
        } catch let failure as Rehearsal.Failure {
            throw OfflineFailure(failure, reactor: reactor, path: path)
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
