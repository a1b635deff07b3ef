internal import ArgumentParser
internal import Glibc
internal import RxJSON

/// `--by`: a user's name, a uid, `reactor:NAME`, or `stream:NAME`.
struct RequesterArgument {
    /// The parameter `by` of `execution.list`.
    let parameter: JSONValue

    /// - Throws: `ValidationError` if no user has this name.
    init(_ text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1)
        if parts.count == 2, ["reactor", "stream"].contains(parts[0]) {
            parameter = .object([String(parts[0]): .string(String(parts[1]))])
        } else if let uid = UInt32(text) ?? Self.uid(of: text) {
            parameter = ["uid": JSONValue(Int(uid))]
        } else {
            throw ValidationError("No user has this name. Give a user's name, a uid, reactor:NAME, or stream:NAME.")
        }
    }

    /// The uid of a user of this machine.
    private static func uid(of name: String) -> UInt32? {
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        // Enough for any ordinary entry.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            guard let base = buffer.baseAddress, getpwnam_r(name, &entry, base, buffer.count, &found) == 0 else {
                return nil
            }
            return found?.pointee.pw_uid
        }
    }

    /// The names of this machine's users, at most so many: a directory service may have any number.
    static func users(atMost limit: Int) -> [String] {
        setpwent()
        defer { endpwent() }
        var names: [String] = []
        while names.count < limit, let entry = getpwent() {
            if let name = entry.pointee.pw_name { names.append(String(cString: name)) }
        }
        return names
    }
}
