internal import RxRecords
package import RxHost
package import RxJSON

/// One element of a program's argument list.
package enum ProcessArgument: Sendable, Equatable {
    case text(String)
    /// A value in the input, with the pointer as written in the configuration.
    case pointer(JSONPointer, String)
    /// The path of a file that contains a value in the input, which nobody else can see, with the pointer as written.
    case file(JSONPointer, String)
}

extension ProcessArgument {
    /// The pointer into the input as written; empty for a text.
    fileprivate var path: String {
        switch self {
        case .text: ""
        case .pointer(_, let path), .file(_, let path): path
        }
    }
}

extension ProcessDefinition {
    /// Whether the program receives parts of the input as files.
    package var passesFiles: Bool {
        arguments.contains { argument in
            switch argument {
            case .file: true
            case .text, .pointer: false
            }
        }
    }
}

/// An argument for one input.
enum ResolvedArgument: Sendable, Equatable {
    case text(String)
    /// The content of a file whose path is the argument.
    case file([UInt8])
}

/// How standard output is converted to elements.
package enum ProcessOutput: String, Sendable, CaseIterable {
    /// Each line is a string element.
    case lines
    /// Each line is a JSON element.
    case json
    /// All of it is one string element.
    case text
}

/// The limits of an execution.
package struct ProcessLimits: Sendable, Equatable {
    /// The most bytes of an output line: an element must fit into memory several times and into a line of the protocol.
    package var lineBytes = 1_048_576
    /// The most bytes of output taken as one text, for the same reasons as `lineBytes`.
    package var textBytes = 1_048_576
    /// The most bytes of a logged line of standard error; a longer one is logged in pieces, because journals cut or
    /// refuse long records.
    package var errorLineBytes = 8192
    /// The most bytes from the end of standard error in an error: enough for a message, small enough for a reply.
    package var errorTailBytes = 4096
}

/// What to start and how: all settings of `[action.NAME]` for a process.
package struct ProcessDefinition: Sendable, Equatable {
    /// The default time between SIGTERM and SIGKILL; suits most programs.
    package static let defaultGrace = Duration.seconds(5)
    /// The longest single argument that the kernel accepts (MAX_ARG_STRLEN, without its NUL).
    package static let longestArgument = 131_071

    package var arguments: [ProcessArgument]
    package var output = ProcessOutput.lines
    /// The working directory; nil for the daemon's own.
    package var cwd: String?
    package var environment: [String: String] = [:]
    package var grace = defaultGrace
    package var limits = ProcessLimits()
    /// Whether the process gets its input as JSON on standard input, which is empty otherwise.
    package var hasInput = true

    package init(
        arguments: [ProcessArgument], output: ProcessOutput = .lines, cwd: String? = nil,
        environment: [String: String] = [:], grace: Duration = defaultGrace, limits: ProcessLimits = ProcessLimits()
    ) {
        self.arguments = arguments
        self.output = output
        self.cwd = cwd
        self.environment = environment
        self.grace = grace
        self.limits = limits
    }
}

extension ProcessDefinition {
    /// The faults of an input: every pointer that does not lead to a scalar.
    package func faults(in input: RawJSON) -> [InputFault] {
        switch arguments(for: input) {
        case .success: []
        case .failure(let refusal): refusal.faults
        }
    }

    /// The arguments for an input, starting with the program. Strings are used unchanged, numbers and booleans as
    /// written; in a file, arrays and objects as JSON.
    func arguments(for input: RawJSON) -> Result<[ResolvedArgument], InputRefusal> {
        var resolved: [ResolvedArgument] = []
        var faults: [InputFault] = []
        for argument in arguments {
            do throws(ArgumentProblem) {
                switch argument {
                case .text(let text): resolved.append(.text(text))
                case .pointer(let pointer, _): resolved.append(.text(try Self.text(at: pointer, in: input)))
                case .file(let pointer, _): resolved.append(.file(try Self.content(at: pointer, in: input)))
                }
            } catch {
                faults.append(InputFault(path: argument.path, message: error.rawValue))
            }
        }
        return faults.isEmpty ? .success(resolved) : .failure(InputRefusal(faults: faults))
    }

    private enum ArgumentProblem: String, Error {
        case missing = "is required"
        case notScalar = "must be a string, a number or a boolean"
        case null = "must not be null"
        case nul = "must not contain a NUL character"
        case tooLong = "is too long for an argument of a program"
    }

    private static func text(at pointer: JSONPointer, in input: RawJSON) throws(ArgumentProblem) -> String {
        guard let found = input.value(at: pointer) else { throw .missing }
        let text: String
        switch found.value() {
        case .string(let string): text = string
        case .number, .bool: text = found.text
        case .null, .array, .object: throw .notScalar
        }
        if text.utf8.contains(0) { throw .nul }
        if text.utf8.count > longestArgument { throw .tooLong }
        return text
    }

    private static func content(at pointer: JSONPointer, in input: RawJSON) throws(ArgumentProblem) -> [UInt8] {
        guard let found = input.value(at: pointer) else { throw .missing }
        switch found.value() {
        case .string(let string): return Array(string.utf8)
        case .number, .bool, .array, .object: return found.utf8
        case .null: throw .null
        }
    }

    /// The names and values for `ConfiguredAction.fingerprint`.
    package var fingerprintFields: [(String, String)] {
        let run = arguments.map { argument in
            switch argument {
            case .text(let text): ("run", text)
            case .pointer(_, let path): ("run.input", path)
            case .file(_, let path): ("run.file", path)
            }
        }
        let variables = environment.sorted { $0.key < $1.key }.map { ("env.\($0.key.debugDescription)", $0.value) }
        return run + variables + [
            ("output", output.rawValue), ("cwd", cwd ?? "."), ("grace", grace.rxText), ("limits", "\(limits)"),
        ]
    }
}

/// The reason why an input cannot be converted to arguments.
struct InputRefusal: Error {
    let faults: [InputFault]

    /// The failure of work that is subscribed to with an input that `validate` would have refused.
    var failure: WorkFailure {
        WorkFailure(
            message: "the input does not give the program its arguments",
            facts: [
                "errors": .array(faults.map { .object(["path": .string($0.path), "message": .string($0.message)]) })
            ], mayPass: false)
    }
}
