internal import JSONRPC
internal import RxAction
internal import RxJSON
internal import RxProtocol

/// A request's params, read by name. Names that the method's contract does not have are refused, so that a misspelled
/// option is never ignored.
struct Parameters {
    /// The most faults that one error lists.
    private static let reportedFaults = 8
    /// The most strings in one parameter.
    private static let mostStrings = 10_000

    static let mustBeString = "must be a string"

    private let object: JSONView?
    private let method: Method

    /// - Throws: `invalidParams` if the params are not an object, or have a name that the method does not know.
    init(_ params: JSONView?, of method: Method) throws(RPCError) {
        self.method = method
        guard let params else {
            object = nil
            return
        }
        guard params.kind == .object else {
            throw .refused([RPCError.Fault(path: "", message: "params are given by name, in an object")])
        }
        object = params
        let known = method.contract.parameters
        var faults: [RPCError.Fault] = []
        for (key, _) in params.members where !known.contains(where: { key.equals($0.name) }) {
            let name = key.string ?? ""
            faults.append(RPCError.Fault(path: Parameters.pointer(name), message: RPCError.unknownParameter))
            guard faults.count < Self.reportedFaults else { break }
        }
        if !faults.isEmpty { throw .refused(faults) }
    }

    private static func pointer(_ name: String) -> String {
        var text = "/"
        for character in name.unicodeScalars {
            switch character {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }

    /// The value of a parameter; nil if it is absent.
    subscript(name: StaticString) -> JSONView? {
        assert(method.contract.parameters.contains { "\($0.name)" == "\(name)" }, "\(method) has no \(name)")
        return object?[name]
    }

    func fault(_ name: StaticString, _ message: String) -> RPCError {
        .refused([RPCError.Fault(path: "/\(name)", message: message)])
    }

    func string(_ name: StaticString) throws(RPCError) -> String {
        guard let text = try optionalString(name) else { throw fault(name, "is required") }
        return text
    }

    func optionalString(_ name: StaticString) throws(RPCError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw fault(name, Self.mustBeString) }
        return text
    }

    func optionalBool(_ name: StaticString) throws(RPCError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let bool = value.bool else { throw fault(name, "must be true or false") }
        return bool
    }

    /// A whole number within `range`.
    func optionalInt(_ name: StaticString, in range: ClosedRange<Int>) throws(RPCError) -> Int? {
        guard let value = self[name] else { return nil }
        guard let number = value.int, range.contains(number) else {
            throw fault(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A duration as text, above zero unless `orZero`.
    func optionalDuration(_ name: StaticString, orZero: Bool = false) throws(RPCError) -> Duration? {
        guard let text = try optionalString(name) else { return nil }
        guard let duration = Duration(rxText: text), orZero || duration > .zero else {
            throw fault(name, "must be a duration\(orZero ? "" : " above zero"), such as \"500ms\", \"10s\" or \"5m\"")
        }
        return duration
    }

    /// A point in time, in milliseconds since 1970.
    func optionalTime(_ name: StaticString) throws(RPCError) -> Int64? {
        guard let text = try optionalString(name) else { return nil }
        guard let time = Timestamp(text) else {
            throw fault(name, "must be a time such as \"2026-11-21T01:02:03.123Z\"")
        }
        return time.milliseconds
    }

    func optionalExecution(_ name: StaticString) throws(RPCError) -> ExecutionID? {
        guard let text = try optionalString(name) else { return nil }
        guard let id = ExecutionID(text) else { throw fault(name, "must be an execution's id") }
        return id
    }

    /// A string, or an array of strings; each of them once.
    func optionalStrings(_ name: StaticString) throws(RPCError) -> [String]? {
        guard let value = self[name] else { return nil }
        if let text = value.string { return [text] }
        guard value.kind == .array else { throw fault(name, "must be a string or an array of strings") }
        var texts: [String] = []
        var known: Set<String> = []
        var count = 0
        for element in value.elements {
            guard let text = element.string else { throw fault(name, "must be a string or an array of strings") }
            count += 1
            guard count <= Self.mostStrings else { throw fault(name, "has more than \(Self.mostStrings) strings") }
            if known.insert(text).inserted { texts.append(text) }
        }
        return texts
    }
}
