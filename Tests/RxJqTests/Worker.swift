import Glibc
import RxHost
@testable import RxJq
import RxJSON
import Testing

/// The daemon's program, built beside the tests.
let program: String = {
    // The test runner may be the toolchain's, with the tests' bundle as an argument.
    let directories = CommandLine.arguments.map { path in path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }
    let programs = directories.map { $0 + "/rxd" }
    return programs.first { access($0, X_OK) == 0 } ?? programs[0]
}()

/// A worker that is asked one thing after another, and the state as its patches give it.
// Tests use it from one thread each.
final class Worker {
    struct Answer: Equatable {
        var mutations: [String] = []
        var patches: [String] = []
        var executions: [String] = []
        /// The rule and its reason; empty if no rule holds.
        var refusal: String?
        /// Stage, message and input.
        var fault: String?
    }

    let process: WorkerProcess
    private(set) var state: JSONValue

    init(
        _ programs: JqReactorPrograms, state: JSONValue, stateBytes: Int = 16 << 20, limits: JqLimits = .patient
    ) throws {
        self.state = state
        process = try WorkerProcess(executable: program, limits: limits)
        #expect(try ask(.setup(programs, state: state, stateBytes: stateBytes)) == Answer())
    }

    func dispatch(_ action: JSONValue) throws -> Answer { try ask(.action(RawJSON(action))) }

    /// Throws how the worker has ended, if it did.
    func ask(_ request: WorkerRequest) throws -> Answer {
        process.send(request)
        return try answer()
    }

    func answer() throws -> Answer {
        var answer = Answer()
        while true {
            while let reply = try process.next() {
                switch reply {
                case .step(let mutation, let patch):
                    try patch.apply(to: &state)
                    var writer = JSONWriter()
                    patch.write(to: &writer)
                    answer.mutations.append(mutation.text)
                    answer.patches.append(String(decoding: writer.bytes, as: UTF8.self))
                case .execution(let rule, let input): answer.executions.append("\(rule): \(input.text)")
                case .fault(let fault):
                    answer.fault = "\(fault.stage): \(fault.message): \(fault.input?.text ?? "nothing")"
                case .refusal(let place, let text): answer.refusal = place.map { "\($0.key): \(text)" } ?? text
                case .place: break
                case .done: return answer
                }
            }
            process.flush()
            var descriptor = pollfd(fd: process.descriptor, events: Int16(POLLIN), revents: 0)
            if process.waitingBytes > 0 { descriptor.events |= Int16(POLLOUT) }
            guard poll(&descriptor, 1, 60_000) > 0 else { throw Silence() }
            if descriptor.revents & Int16(POLLIN | POLLHUP) != 0 { try process.receive() }
        }
    }

    struct Silence: Error {}
}

extension JqLimits {
    /// Limits of time that no program of these tests reaches by itself, however busy the machine is.
    static var patient: JqLimits {
        var limits = JqLimits()
        (limits.processorTime, limits.wallTime) = (.seconds(60), .seconds(120))
        return limits
    }
}

extension JqReactorPrograms {
    init(mutations first: String?, _ others: String?..., reduce: String) {
        self.init(reduce: reduce)
        rules = ([first] + others).map { mutation in
            var rule = Rule()
            rule.mutation = mutation
            return rule
        }
    }
}
