/// The objects of systemd's units on a bus: `/org/freedesktop/systemd1/unit/nginx_2eservice`.
enum UnitPath {
    static let parent = "/org/freedesktop/systemd1/unit"

    /// The name of the unit with this path; nil for another path.
    static func unit(at path: String) -> String? {
        guard path.hasPrefix(parent + "/") else { return nil }
        var name: [UInt8] = []
        var rest = path.utf8.dropFirst(parent.utf8.count + 1)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "_") else {
                name.append(byte)
                continue
            }
            // Every other byte is written as two hexadecimal digits.
            guard rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            name.append(code)
            rest = rest.dropFirst(2)
        }
        return String(validating: name, as: UTF8.self)
    }
}
