internal import JSONRPC
internal import RxJSON
internal import RxProtocol

/// A request's params, read by name. Anything unknown is refused, so that a misspelt option is never ignored.
struct Parameters {
    private let object: JSONView?

    /// - Throws: `invalidParams` if the params are not an object or hold a name that is not in `known`.
    init(_ params: JSONView?, known: [StaticString]) throws(RPCError) {
        guard let params else {
            object = nil
            return
        }
        guard params.kind == .object else {
            throw .refused([RPCError.Fault(path: "", message: "params are given by name, in an object")])
        }
        object = params
        var faults: [RPCError.Fault] = []
        params.forEachMember { key, _ in
            if !known.contains(where: { key.equals($0) }) {
                let name = key.string ?? ""
                faults.append(RPCError.Fault(path: Parameters.pointer(name), message: RPCError.unknownParameter))
            }
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

    /// The value of a parameter, absent if it is not there.
    subscript(name: StaticString) -> JSONView? { object?[name] }

    func fault(_ name: StaticString, _ message: String) -> RPCError {
        .refused([RPCError.Fault(path: "/\(name)", message: message)])
    }

    func string(_ name: StaticString) throws(RPCError) -> String {
        guard let text = try optionalString(name) else { throw fault(name, "is required") }
        return text
    }

    func optionalString(_ name: StaticString) throws(RPCError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw fault(name, "must be a string") }
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

    /// A duration, above zero unless `orZero`, as text.
    func optionalDuration(_ name: StaticString, orZero: Bool = false) throws(RPCError) -> Duration? {
        guard let text = try optionalString(name) else { return nil }
        guard let duration = Duration(rxText: text), orZero || duration > .zero else {
            throw fault(name, "must be a duration\(orZero ? "" : " above zero"), such as \"500ms\", \"10s\" or \"5m\"")
        }
        return duration
    }

    /// A string, or an array of strings.
    func optionalStrings(_ name: StaticString) throws(RPCError) -> [String]? {
        guard let value = self[name] else { return nil }
        if let text = value.string { return [text] }
        guard value.kind == .array else { throw fault(name, "must be a string or an array of strings") }
        var texts: [String] = []
        var isValid = true
        value.forEachElement { element in
            if let text = element.string {
                texts.append(text)
            } else {
                isValid = false
            }
        }
        guard isValid else { throw fault(name, "must be a string or an array of strings") }
        return texts
    }
}
