internal import Glibc
internal import RxJSON

/// The requester of an execution or a switch: the `by` of a record or a reason.
struct Requester {
    let by: JSONValue

    /// All facts: `uid 1000 (alice), pid 4242`.
    var full: String {
        switch by {
        case .object(let object):
            if let stream = object["stream"]?.string {
                return "the stream \(stream)" + (object["scheduled"]?.string.map { ", slot \($0)" } ?? "")
            }
            if let reactor { return "mutate[\(reactor.rule)] of the reactor \(reactor.name)" }
            guard let uid = object["uid"]?.int else { return RawJSON(by).text }
            return ["uid \(uid)" + (Requester.name(of: uid).map { " (\($0))" } ?? "")]
                .appending(object["pid"]?.int.map { "pid \($0)" }).joined(separator: ", ")
        case .null:
            return "the daemon itself"
        case .bool, .number, .string, .array:
            return RawJSON(by).text
        }
    }

    /// The name of the user, reactor, or stream, for a column.
    var short: String {
        if let stream = by["stream"]?.string { return "stream \(stream)" }
        if let reactor { return "reactor \(reactor.name)" }
        guard let uid = by["uid"]?.int else { return "" }
        return Requester.name(of: uid) ?? "uid \(uid)"
    }

    /// The reactor, if one of its rules is the requester.
    private var reactor: (name: String, rule: Int)? {
        guard let name = by["reactor"]?.string, let rule = by["rule"]?.int else { return nil }
        return (name, rule)
    }

    /// The user's name on this machine.
    private static func name(of uid: Int) -> String? {
        guard let uid = uid_t(exactly: uid) else { return nil }
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        // Enough for any ordinary entry; a user with a longer one is printed by number.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            guard let base = buffer.baseAddress, getpwuid_r(uid, &entry, base, buffer.count, &found) == 0, let found
            else { return nil }
            return found.pointee.pw_name.map { String(cString: $0) }
        }
    }
}

extension [String] {
    fileprivate func appending(_ element: String?) -> [String] {
        self + (element.map { [$0] } ?? [])
    }
}
