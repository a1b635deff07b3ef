internal import Rx
public import RxStreams

/// Evaluates the programs of streams in this process, for tests of code; `rxd --test` has the daemon's workers.
///
/// The results are those of the daemon, with two differences: nothing bounds time and memory, and a program that makes
/// jq abort ends the process (see the rules in Jq.swift). So the programs must be those of the owner of the process.
public final class LocalEvaluator: ProgramEvaluator {
    // Sendable: a program in the list is used by nobody.
    private struct Kept: @unchecked Sendable {
        /// The compiled programs, the one used last at the end.
        var programs: [LocalProgram] = []
    }

    private let kept = Locked(Kept())
    private let mostPrograms: Int

    /// Creates an evaluator that keeps at most `mostPrograms` compiled, those used last.
    public init(mostPrograms: Int = ProgramLimits.keptPrograms) {
        self.mostPrograms = mostPrograms
    }

    /// Runs a program on each input. The first use of a program compiles it, as does its use on two threads at a time.
    public func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] {
        guard !inputs.isEmpty else { return [] }
        if let fault = program.faultOfText { return inputs.map { _ in .failed(fault) } }
        let compiled = take(program)
        let results = inputs.map { input in input.fault.map { .failed($0) } ?? compiled.result(for: input) }
        put(compiled)
        return results
    }

    private func take(_ program: StreamProgram) -> LocalProgram {
        let taken = kept.withLock { kept -> Kept in
            guard let place = kept.programs.lastIndex(where: { $0.program == program }) else { return Kept() }
            return Kept(programs: [kept.programs.remove(at: place)])
        }
        return taken.programs.first ?? LocalProgram(program)
    }

    private func put(_ program: LocalProgram) {
        let returned = Kept(programs: [program])
        // Freed outside the lock.
        let dropped = kept.withLock { [mostPrograms] kept -> Kept in
            kept.programs += returned.programs
            guard kept.programs.count > mostPrograms else { return Kept() }
            return Kept(programs: [kept.programs.removeFirst()])
        }
        _ = dropped
    }
}
